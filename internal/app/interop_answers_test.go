package app_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// curl runs the request of a section, and looks whether it is answered as the page says.
func (r *reader) curl(t *testing.T, s snippet, ask func() string) {
	t.Helper()
	answered := func(out any) {
		t.Helper()
		if said := ask(); json.Unmarshal([]byte(said), out) != nil {
			t.Fatalf("the answer is %s", said)
		}
	}
	switch s.section {
	case "A2A":
		var got struct {
			Result struct {
				Task struct {
					Status    struct{ State string }
					Artifacts []struct {
						Name  string
						Parts []struct{ Text string }
					}
				}
			}
		}
		answered(&got)
		task := got.Result.Task
		if task.Status.State != "TASK_STATE_COMPLETED" || len(task.Artifacts) != 1 || task.Artifacts[0].Name != "result" || !strings.Contains(task.Artifacts[0].Parts[0].Text, "hello") {
			t.Errorf("the task is %+v", task)
		}
	case "OpenAI's API":
		var got struct {
			Choices []struct{ Message struct{ Content string } }
		}
		answered(&got)
		if len(got.Choices) != 1 || !strings.Contains(got.Choices[0].Message.Content, "hello") {
			t.Errorf("the answer is %+v", got)
		}
	default:
		t.Errorf("no rule of this test knows this request:\n%s", s.text)
	}
}

func (r *reader) getJSON(t *testing.T, url, key string, out any) {
	t.Helper()
	resp, err := (&http.Client{Transport: bearer(key)}).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s, %v", url, resp.Status, err)
	}
}

func (r *reader) listsModels(t *testing.T, base, key string) {
	t.Helper()
	var models struct{ Data []struct{ ID string } }
	r.getJSON(t, base+"/models", key, &models)
	if len(models.Data) < 2 || models.Data[0].ID != "errand" {
		t.Errorf("the models are %+v", models)
	}
}

func (r *reader) librechat(t *testing.T, text string) {
	var set struct {
		Endpoints struct {
			Custom []struct {
				Name, BaseURL, APIKey string
				Models                struct {
					Default []string
					Fetch   bool
				}
			}
		}
	}
	text = strings.NewReplacer("baseURL", "baseurl", "apiKey", "apikey").Replace(text) // yaml's names of the fields
	if err := yaml.Unmarshal([]byte(text), &set); err != nil || len(set.Endpoints.Custom) != 1 {
		t.Fatalf("the settings are %+v, %v", set, err)
	}
	custom := set.Endpoints.Custom[0]
	if custom.APIKey != "${ERRAND_TOKEN}" || !custom.Models.Fetch || !slices.Equal(custom.Models.Default, []string{"errand"}) {
		t.Errorf("the settings are %+v", custom)
	}
	r.listsModels(t, custom.BaseURL, r.token(t, "chat"))
}

// script runs a script for Node in the folder where its libraries are installed, and looks at
// what it prints. Where they are not, it is parsed alone.
func (r *reader) script(t *testing.T, s snippet, text string) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("this machine has no node")
	}
	folder := os.Getenv("ERRAND_TEST_NPM")
	if s.section == "A2A" { // where two versions are installed, under names of their own
		folder, text = os.Getenv("ERRAND_TEST_A2A_NPM"), strings.ReplaceAll(text, "'@a2a-js/sdk", "'a2a10")
	}
	installed := folder != ""
	if !installed {
		folder = t.TempDir()
	}
	path := filepath.Join(folder, "interop-"+r.port+".mjs")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	if !installed {
		r.run(t, r.command(t, "", node, "--check", path))
		return
	}
	cmd := r.command(t, r.scopes[s.section], node, path)
	want := map[string]string{"A2A": "night trains to Oslo", "OpenAI's API": "hello"}[s.section]
	if said := r.run(t, cmd); want == "" || !strings.Contains(said, want) {
		t.Errorf("it prints %q, want %q", said, want)
	}
}
