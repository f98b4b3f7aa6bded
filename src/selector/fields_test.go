package selector_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/selector"
)

func TestFieldsMatch(t *testing.T) {
	data := parse(t, `{"metadata":{"name":"nginx","empty":""},"spec":{"app":"web","replicas":3,"cost":1.50,"on":true,"off":null,`+
		`"a.b":"dotted","a/b":{"~":"odd"},"apps":["x",{"y":"z"}],"map":{"k":"v"},"text":" a,b=c!\\ ","url":"http://h/?q","ü":"é 日"}}`)
	tests := []struct {
		name, text string
		want       bool
	}{
		{"nothing", "", true},
		{"white space", "  ", true},
		{"equals", "metadata.name=nginx", true},
		{"equals another", "metadata.name=web", false},
		{"two equal signs", "metadata.name==nginx", true},
		{"differs", "spec.app!=nginx", true},
		{"differs not", "spec.app!=web", false},
		{"all must hold", "metadata.name=nginx,spec.app=web", true},
		{"one does not", "metadata.name=nginx,spec.app!=web", false},
		{"white space around", " metadata.name = nginx , spec.app != x ", true},
		{"number", "spec.replicas=3", true},
		{"number by its text", "spec.cost=1.50", true},
		{"number by another text", "spec.cost=1.5", false},
		{"boolean", "spec.on=true", true},
		{"an item of a list", "spec.apps[*]=x", true},
		{"no item of a list", "spec.apps[*]=y", false},
		{"no item is it", "spec.apps[*]!=y", true},
		{"an item is it", "spec.apps[*]!=x", false},
		{"a text as the only item", "spec.app[*]=web", true},
		{"a missing list", "spec.none[*]=", true},
		{"a map is no list", "spec.map[*]=v", false},
		{"brackets in a pointer are a name", "/spec/apps[*]=x", false},
		{"a number that is less", "spec.replicas<10", true},
		{"a number that is not less", "spec.replicas<3", false},
		{"a number that is greater", "spec.cost>1.4999", true},
		{"a text that is less", "spec.app<wec", true},
		{"a text that is greater", "spec.app>wea", true},
		{"a boolean as a text", "spec.on>tru", true},
		{"what is not there is not less", "spec.none<9", false},
		{"what is not there is not greater", "spec.none>", false},
		{"null is not less", "spec.off<9", false},
		{"an empty text is not less", "metadata.empty<z", false},
		{"a list is not less", "spec.apps<z", false},
		{"an item that is less", "spec.apps[*]<y", true},
		{"null is empty", "spec.off=", true},
		{"null is not a text", "spec.off=null", false},
		{"empty", "metadata.empty=", true},
		{"missing is empty", "metadata.other=", true},
		{"missing differs from any text", "metadata.other!=x", true},
		{"missing does not differ from empty", "metadata.other!=", false},
		{"below a scalar", "metadata.name.x=", true},
		{"a map has no text", "spec.map=", false},
		{"a list differs from any text", "spec.apps!=,spec.apps!=x", true},
		{"list by index", "spec.apps.0=x,spec.apps.1.y=z", true},
		{"pointer", "/spec/app=web", true},
		{"name with a dot", "/spec/a.b=dotted", true},
		{"name with a slash and a tilde", "/spec/a~1b/~0=odd", true},
		{"dots are no part of names", "spec.a.b=dotted", false},
		{"escaped value", `spec.text=\ a\,b\=c\!\\\ `, true},
		{"value with special characters", "spec.url=http://h/?q", true},
		{"Unicode", "spec.ü=é 日", true},
		{"escaped path", `/spec/a\=b=`, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fields, err := selector.ParseFields(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := fields.Matches(data); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
	fields, err := selector.ParseFields("a=")
	if err != nil || !fields.Matches(nil) {
		t.Errorf("nothing has a field: %v", err)
	}
}

func TestFieldsString(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", ""},
		{"sorted", " spec.b == x , spec.a != y,metadata.name= z", "metadata.name=z,spec.a!=y,spec.b=x"},
		{"repetitions", "a=1,a==1,a!=1,a=1", "a=1,a!=1"},
		{"pointers where needed", "/a/b=1,/a.b=2,/=3,/a/=4,/~1=5", "/=3,/~1=5,/a/=4,a.b=1,/a.b=2"},
		{"escapes", `a\,b=c\=d\\\ ,e=f!`, `a\,b=c\=d\\\ ,e=f\!`},
		{"empty values", "a=,b!=", "a=,b!="},
		{"orders", "a>1,b<x,a=1,a<1", "a<1,a=1,a>1,b<x"},
		{"items of a list", "a.b[*]=1,a.b=1,/a/b[*]=1", "a.b=1,a.b[*]=1,/a/b[*]=1"},
		{"escaped orders", `a\<b=c<d`, `a\<b=c\<d`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fields, err := selector.ParseFields(test.text)
			if err != nil {
				t.Fatal(err)
			}
			got := fields.String()
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if fields.Empty() != (test.want == "") {
				t.Errorf("Empty is %v", fields.Empty())
			}
			if again, err := selector.ParseFields(got); err != nil || again.String() != got {
				t.Errorf("again: %s, %v", again, err)
			}
		})
	}
}

func TestParseFieldsRefuses(t *testing.T) {
	const remedy = "write it as in metadata.name=nginx,spec.app!=web"
	tests := []struct{ name, text, want string }{
		{"no operator", "metadata.name", "1:14: invalid field selector: expected =, !=, < or >, found the end; " + remedy},
		{"no operator before a comma", "a,b=c", `1:2: invalid field selector: expected =, !=, < or >, found ","; ` + remedy},
		{"only !", "a!b", `1:2: invalid field selector: expected =, !=, < or >, found "!"; ` + remedy},
		{"no path", " =a", `1:2: invalid field selector: expected a path, found "="; ` + remedy},
		{"comma at the end", "a=b,", "1:5: invalid field selector: expected a path, found the end; " + remedy},
		{"two commas", "a=b,,c=d", `1:5: invalid field selector: expected a path, found ","; ` + remedy},
		{"second =", "a=b=c", `1:4: invalid field selector: there is a second = in one part; join parts by commas, and write a = of a value as \=`},
		{"empty name", "a=1, b..c=d", "1:6: invalid field selector: a name in the path is empty; write names with one dot between them; for names with dots write /spec/a.b"},
		{"dot at the end", "a.=d", "1:1: invalid field selector: a name in the path is empty; write names with one dot between them; for names with dots write /spec/a.b"},
		{"bad pointer", "/a~b=c", "1:1: invalid field selector: the path is not a JSON Pointer; write ~ as ~0, and a / inside of a name as ~1"},
		{"unknown escape", `a=c:\new`, `1:5: invalid field selector: a backslash must come before one of , = ! < > \ or white space; write a backslash as \\`},
		{"open escape", `a\`, `1:2: invalid field selector: a backslash must come before one of , = ! < > \ or white space; write a backslash as \\`},
		{"not UTF-8", "a=\xc3", "1:3: invalid field selector: the byte 0xC3 is not UTF-8; " + remedy},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := selector.ParseFields(test.text)
			if err == nil {
				t.Fatal("no error")
			}
			if err.Error() != test.want || dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Errorf("got  %s (%s)\nwant %s", err, dovetail.CodeOf(err), test.want)
			}
		})
	}
}
