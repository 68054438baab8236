package web

import (
	"strings"
	"testing"
	"testing/fstest"
)

// made is pages of these modules; index.html begins with page.js.
func made(modules map[string]string) (*assets, error) {
	files := fstest.MapFS{"index.html": {Data: []byte(`<head><script type="module" src="page.js"></script></head>`)}}
	for name, text := range modules {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return newAssets(files)
}

// TestJoined proves how modules become one: each behind those that it imports, and with what
// is loaded later taking from there what is there.
func TestJoined(t *testing.T) {
	a, err := made(map[string]string{
		"page.js":             "import {one, two as deux} from \"./lib/b.js\";\nimport def from \"./vendor/d.js\";\nimport * as all from \"./lib/b.js\";\nimport(\"./lib/late.js\");\nawait import(\"./words/es.js\");\n",
		"lib/b.js":            "import {c} from \"../c.js\";\nexport {c, c as see} from \"../c.js\";\nexport const one = () => import(\"./late.js\");\nexport async function two() {\n}\nexport {one as uno,};\n",
		"c.js":                "export class c {\n}\n",
		"vendor/d.js":         `var x=1;export default function(s){};export{x as y};//# end`,
		"lib/late.js":         "import {one as first} from \"./b.js\";\nimport * as c from \"../c.js\";\nimport {other} from \"./other.js\";\nexport {c as again} from \"../c.js\";\nexport function* late() {\n}\n",
		"lib/other.js":        "import {c} from \"../c.js\";\nexport const other = c;\n",
		"words/es.js":         "import {and} from \"./and.js\";\nexport const words = {};\n",
		"words/and.js":        "import {words} from \"./es.js\";\nexport const and = () => words;\n",
		"of no page/alone.js": "export let whatever;\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"page/page.js": `export const parts = {};
parts["c.js"] = (() => {
class c {
}

return {c: c, };
})();
parts["lib/b.js"] = (() => {
const {c} = parts["c.js"];

const one = () => import("./lib/late.js");
async function two() {
}


return {c: parts["c.js"].c, see: parts["c.js"].c, one: one, two: two, uno: one, };
})();
parts["vendor/d.js"] = (() => {
var x=1;
const itself = function(s){};
//# end
return {default: itself, y: x, };
})();
{ // page.js
const {one, two: deux} = parts["lib/b.js"];
const {default: def} = parts["vendor/d.js"];
const all = parts["lib/b.js"];
import("./lib/late.js");
await import("../words/es.js");
}
`,
		"page/lib/late.js": `import {parts} from "../page.js";
const part0 = parts["lib/b.js"] ?? await import("../lib/b.js"); if (!("one" in part0)) throw new SyntaxError("the page has another lib/b.js"); const {one: first} = part0;
const part1 = parts["c.js"] ?? await import("../c.js"); const c = part1;
import {other} from "../lib/other.js";
const part3 = parts["c.js"] ?? await import("../c.js"); if (!("c" in part3)) throw new SyntaxError("the page has another c.js"); export const again = part3.c;
export {late}; function* late() {
}
`,
		"words/es.js": "import {and} from \"./and.js\";\nexport const words = {};\n",
	} {
		if one := a.byName[name]; one == nil || string(one.body) != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, one.body, want)
		}
	}
	if a.byName["page/words/es.js"] != nil {
		t.Error("what needs nothing of the page is there for it alone")
	}
}

// TestNotJoined proves that errand says of a module that it cannot join why, rather than that
// the page does not work.
func TestNotJoined(t *testing.T) {
	for text, want := range map[string]string{
		"import {\n  a,\n} from \"./b.js\";\n":                                 `page.js: "import {" is no form`,
		"import \"./b.js\";\n":                                                 `page.js: "import \"./b.js\";" is no form`,
		"export let a = 1;\n":                                                  `page.js: "export let a = 1;" is no form`,
		"export const {a} = {a: 1};\n":                                         `page.js: "export const {a} = {a: 1};" is no form`,
		"let one, a = 1;\nexport {one as b, a};\n":                             `page.js exports one, which may be assigned to again`,
		"var one = 1;\nexport {one};\n":                                        `page.js exports one, which may be assigned to again`,
		"let a = 1,\n    one = 2;\nexport {one};\n":                            `declares variables on several lines`,
		"import {a} from \"./none.js\";\n":                                     "no module none.js",
		"import {z} from \"./d.js\";\n":                                        "page.js takes z from d.js",
		"export {z as y} from \"./d.js\";\n":                                   "page.js takes z from d.js",
		"import d from \"./d.js\";\n":                                          "page.js takes default from d.js",
		"import {d} from \"./d.js\";\nimport(\"./late.js\");\n":                "late.js takes nothing from d.js",
		"import {d} from \"./d.js\";\nconst {e} = await import(\"./e.js\");\n": `page.js: "const {e} = await import(\"./e.js\");" waits for what`,
		"import {e} from \"./e.js\";\n":                                        `e.js: "const e = await d;": only`,
		"import {a} from \"./b.js\";\n":                                        "b.js imports itself, by page.js, b.js, c.js",
	} {
		_, err := made(map[string]string{
			"page.js": text, "b.js": "export {a} from \"./c.js\";\n", "c.js": "import {a} from \"./b.js\";\nexport const c = a;\n",
			"d.js": "export const d = 1, z = 2;\n", "e.js": "import {d} from \"./d.js\";\nexport const e = await d;\n", "late.js": "import {nothing} from \"./d.js\";\n",
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}
