package mem

import "reflect"

// PointerIn returns the path to a pointer inside t, "" if there is none: only then do
// its bytes mean the same to another process or device.
func PointerIn(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Array:
		return PointerIn(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if path := PointerIn(t.Field(i).Type); path != "" {
				return t.Field(i).Name + ": " + path
			}
		}
		return ""
	case reflect.Pointer, reflect.UnsafePointer, reflect.Slice, reflect.String, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface:
		return t.Kind().String()
	}
	return ""
}
