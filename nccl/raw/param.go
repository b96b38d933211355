package raw

import (
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// longest is how much of a parameter's text is read.
const longest = 4096

// ParamBind is ncclParamBind (2.30.4).
func (l *Library) ParamBind(key string) (ParamHandle, error) {
	s := dl.Borrow()
	defer s.Return()
	out := dl.Out[ParamHandle](s)
	err := l.do(abi.NCCLParamBind, dl.Addr(out), s.Text(key))
	return *out, err
}

// ParamGetI8 is ncclParamGetI8 (2.30.4).
func (l *Library) ParamGetI8(p ParamHandle) (int8, error) {
	return param[int8](l, abi.NCCLParamGetI8, p)
}

// ParamGetI16 is ncclParamGetI16 (2.30.4).
func (l *Library) ParamGetI16(p ParamHandle) (int16, error) {
	return param[int16](l, abi.NCCLParamGetI16, p)
}

// ParamGetI32 is ncclParamGetI32 (2.30.4).
func (l *Library) ParamGetI32(p ParamHandle) (int32, error) {
	return param[int32](l, abi.NCCLParamGetI32, p)
}

// ParamGetI64 is ncclParamGetI64 (2.30.4).
func (l *Library) ParamGetI64(p ParamHandle) (int64, error) {
	return param[int64](l, abi.NCCLParamGetI64, p)
}

// ParamGetU8 is ncclParamGetU8 (2.30.4).
func (l *Library) ParamGetU8(p ParamHandle) (uint8, error) {
	return param[uint8](l, abi.NCCLParamGetU8, p)
}

// ParamGetU16 is ncclParamGetU16 (2.30.4).
func (l *Library) ParamGetU16(p ParamHandle) (uint16, error) {
	return param[uint16](l, abi.NCCLParamGetU16, p)
}

// ParamGetU32 is ncclParamGetU32 (2.30.4).
func (l *Library) ParamGetU32(p ParamHandle) (uint32, error) {
	return param[uint32](l, abi.NCCLParamGetU32, p)
}

// ParamGetU64 is ncclParamGetU64 (2.30.4).
func (l *Library) ParamGetU64(p ParamHandle) (uint64, error) {
	return param[uint64](l, abi.NCCLParamGetU64, p)
}

// param is a call that stores a number of one of the sizes.
func param[T any](l *Library, c abi.NCCLCall, p ParamHandle) (T, error) {
	s := dl.Borrow()
	defer s.Return()
	out := dl.Out[T](s)
	err := l.do(c, uintptr(p), dl.Addr(out))
	return *out, err
}

// ParamGetStr is ncclParamGetStr (2.30.4).
func (l *Library) ParamGetStr(p ParamHandle) (string, error) {
	return thread(func() (string, error) {
		at, err := param[uintptr](l, abi.NCCLParamGetStr, p)
		return dl.Text(at, longest), err
	})
}

// ParamGet is ncclParamGet (2.30.4): the bytes of a value, at most limit, which is at most 8192.
func (l *Library) ParamGet(p ParamHandle, limit int) ([]byte, error) {
	s := dl.Borrow()
	defer s.Return()
	out, n := dl.OutSlice[byte](s, limit+1), dl.Out[int32](s)
	err := l.do(abi.NCCLParamGet, uintptr(p), dl.Addr(&out[0]), word32(limit), dl.Addr(n))
	return append([]byte(nil), out[:min(max(int(*n), 0), limit)]...), err
}

// ParamGetParameter is ncclParamGetParameter (2.30.4): the text of the value of a key.
func (l *Library) ParamGetParameter(key string) (string, error) {
	return thread(func() (string, error) {
		s := dl.Borrow()
		defer s.Return()
		at, n := dl.Out[uintptr](s), dl.Out[int32](s)
		err := l.do(abi.NCCLParamGetParameter, s.Text(key), dl.Addr(at), dl.Addr(n))
		return dl.Text(*at, min(max(int(*n), 0), longest)), err
	})
}

// ParamGetAllParameterKeys is ncclParamGetAllParameterKeys (2.30.4).
func (l *Library) ParamGetAllParameterKeys() ([]string, error) {
	return thread(func() ([]string, error) {
		s := dl.Borrow()
		defer s.Return()
		table, n := dl.Out[uintptr](s), dl.Out[int32](s)
		if err := l.do(abi.NCCLParamGetAllParameterKeys, dl.Addr(table), dl.Addr(n)); err != nil {
			return nil, err
		}
		keys := make([]string, max(*n, 0))
		for i := range keys {
			keys[i] = dl.Text(dl.Word(*table+uintptr(i)*8), longest)
		}
		return keys, nil
	})
}

// ParamDumpAll is ncclParamDumpAll (2.30.4), which writes to the standard output.
func (l *Library) ParamDumpAll() error { return l.void(abi.NCCLParamDumpAll) }

// ResetDebugInit is ncclResetDebugInit (2.24): NCCL_DEBUG is read again.
func (l *Library) ResetDebugInit() error { return l.void(abi.NCCLResetDebugInit) }

// SetEncryption is ncclSetEncryption (2.32), by the address of an ncclEncryptionConfig_t.
func (l *Library) SetEncryption(config uintptr) error { return l.do(abi.NCCLSetEncryption, config) }
