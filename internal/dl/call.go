package dl

// MaxWords is how many words of 8 bytes a call can pass, the words of a struct by
// value included. The widest we know is ncclCommInitRankConfig with 20.
const MaxWords = 24

// Status is a result of C type int: only the lower half of the word is defined.
func Status(word uintptr) int32 { return int32(uint32(word)) }
