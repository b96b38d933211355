/* A stand-in for NVRTC: it checks what it is called with, and its code is a text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program { char source[4096], option[256], log[512]; int compiled; };

int nvrtcVersion(int *major, int *minor) { *major = 12; *minor = 4; return 0; }
const char *nvrtcGetErrorString(int s) { return s == 6 ? "NVRTC_ERROR_COMPILATION" : "other"; }
int nvrtcGetNumSupportedArchs(int *n) { *n = 3; return 0; }
int nvrtcGetSupportedArchs(int *a) { a[0] = 75; a[1] = 80; a[2] = 90; return 0; }

int nvrtcCreateProgram(struct program **p, const char *src, const char *name, int n, const char *const *texts, const char *const *names) {
	if (n == 1 && (strcmp(names[0], "one.h") || strcmp(texts[0], "int one;"))) return 3;
	if (strcmp(name, "k.cu")) return 3;
	*p = calloc(1, sizeof **p);
	strncpy((*p)->source, src, 4095);
	return 0;
}

int nvrtcCompileProgram(struct program *p, int n, const char *const *options) {
	if (n != 2 || strcmp(options[1], "-DX=1")) return 5;
	strncpy(p->option, options[0], 255);
	if (strstr(p->source, "wrong")) {
		strcpy(p->log, "k.cu(1): error: wrong\nline 2\nline 3\nline 4\nline 5\nline 6\n");
		return 6;
	}
	p->compiled = 1;
	strcpy(p->log, "a warning");
	return 0;
}

int nvrtcGetProgramLogSize(struct program *p, size_t *n) { *n = strlen(p->log) + 1; return 0; }
int nvrtcGetProgramLog(struct program *p, char *out) { strcpy(out, p->log); return 0; }

static void code(struct program *p, const char *form, char *out) { sprintf(out, "%s %s %s", form, p->option, p->source); }
static size_t length(struct program *p, const char *form) { return strlen(form) + strlen(p->option) + strlen(p->source) + 3; }

int nvrtcGetCUBINSize(struct program *p, size_t *n) { *n = length(p, "cubin"); return !p->compiled; }
int nvrtcGetCUBIN(struct program *p, char *out) { code(p, "cubin", out); return 0; }
int nvrtcGetPTXSize(struct program *p, size_t *n) { *n = length(p, "ptx"); return !p->compiled; }
int nvrtcGetPTX(struct program *p, char *out) { code(p, "ptx", out); return 0; }
int nvrtcDestroyProgram(struct program **p) { if (!*p) return 4; free(*p); *p = 0; return 0; }
