package interchange

import (
	"fmt"
	"slices"
	"strconv"
)

// kind is what typestrs call a type code: a letter, and the bytes that it comes in.
type kind struct {
	code   TypeCode
	letter byte
	sizes  []int
}

func kinds() []kind {
	return []kind{
		{Int, 'i', []int{1, 2, 4, 8}},
		{Uint, 'u', []int{1, 2, 4, 8}},
		{Float, 'f', []int{2, 4, 8}},
		{Complex, 'c', []int{8, 16}},
		{Bool, 'b', []int{1}},
	}
}

// typestr is what the array interface calls the type.
func (t Type) typestr() (string, error) {
	for _, k := range kinds() {
		if k.code == t.Code && slices.Contains(k.sizes, t.Size()) {
			order := byte('<')
			if t.Size() == 1 {
				order = '|'
			}
			return fmt.Sprintf("%c%c%d", order, k.letter, t.Size()), nil
		}
	}
	return "", fmt.Errorf("interchange: type code %d of %d bits has no typestr (bfloat16 and float8 have none): use DLPack", t.Code, t.Bits)
}

// typeOf is the type that a typestr names. Numbers of this machine are little-endian.
func typeOf(text string) (Type, error) {
	if len(text) < 3 || (text[0] != '<' && text[0] != '|' && text[0] != '=') {
		return Type{}, fmt.Errorf("interchange: typestr %q: a little-endian type is needed, such as <f4", text)
	}
	size, err := strconv.Atoi(text[2:])
	for _, k := range kinds() {
		if err == nil && k.letter == text[1] && slices.Contains(k.sizes, size) && (text[0] != '|' || size == 1) {
			return Type{k.code, uint8(size * 8), 1}, nil
		}
	}
	return Type{}, fmt.Errorf("interchange: typestr %q is no number or bool of a size known here", text)
}
