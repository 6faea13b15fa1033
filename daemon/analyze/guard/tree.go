package guard

import (
	"reflect"

	"mvdan.cc/sh/v3/syntax"
)

var posType = reflect.TypeFor[syntax.Pos]()

// Shift rewrites every position below root (a pointer to a node): at gets a byte
// offset and returns the one to put in its place. Texts parsed a second time get
// the offsets of the line they stand in that way.
func Shift(root any, at func(int) int) { rewrite(root, at, nil) }

// rewrite goes over a tree with a list instead of recursion: chains make trees as
// deep as they are long.
func rewrite(root any, at func(int) int, text func(string) string) {
	seen := map[any]bool{}
	todo := []reflect.Value{reflect.ValueOf(root)}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch v.Kind() {
		case reflect.Interface:
			if !v.IsNil() {
				todo = append(todo, v.Elem())
			}
		case reflect.Pointer:
			if v.IsNil() || seen[v.Interface()] {
				continue
			}
			seen[v.Interface()] = true
			todo = append(todo, v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				todo = append(todo, v.Index(i))
			}
		case reflect.String:
			if text != nil && v.CanSet() {
				if s := v.String(); text(s) != s {
					v.SetString(text(s))
				}
			}
		case reflect.Struct:
			if v.Type() == posType {
				if p := v.Interface().(syntax.Pos); p.IsValid() {
					v.Set(reflect.ValueOf(syntax.NewPos(uint(at(int(p.Offset()))), p.Line(), p.Col())))
				}
				continue
			}
			for i := range v.NumField() {
				todo = append(todo, v.Field(i))
			}
		}
	}
}
