package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/config"
)

// two is the beginning of a good file: its last agent takes more lines.
const two = `primary: nikki
agents:
  nikki:
    instructions: You are Nikki.
    delegates: [sasha]
  sasha:
    instructions: You are Sasha.
`

// shop is an MCP server: a good file with others behind it.
const shop = `mcp_servers:
  - name: shop
    command: [shop-server]
`

func TestRefusedFiles(t *testing.T) {
	tests := []struct {
		name, file, want string
	}{
		// what a file is
		{"no mapping", "- a\n", `errand.yaml:1: want settings, one "key: value" per line, found a list`},
		{"a word", "\n\nhello\n", `errand.yaml:3: want settings, one "key: value" per line, found "hello"`},
		{"not YAML", two + "  x: y: z\n", `errand.yaml:8: not YAML: mapping values are not allowed in this context: a value that contains ": " needs quotes, or the indentation is wrong`},
		{"indentation", two + "\n\n   b: 1\nslots:\n", `errand.yaml:10: not YAML: did not find expected key: the indentation differs from the lines above, or a quote is missing`},
		{"unclosed quote", "primary: \"x\nagents:\n\n", `errand.yaml:1: not YAML: found unexpected end of stream: a quote is not closed`},
		{"tab", "sessions:\n\tbusy: queue\n", `errand.yaml:2: not YAML: the line begins with a tab: indent it with spaces`},
		{"value with an at sign", "primary: @nikki\n", `errand.yaml:1: not YAML: found character that cannot start any token: a value that begins with @, % or ` + "`" + ` needs quotes`},
		{"unclosed list", "agents:\n  a: {instructions: x, delegates: [b}\n", `errand.yaml:2: not YAML: did not find expected ',' or ']': a bracket is not closed, or a comma is missing`},
		{"no colon", "primary: a\nagents\nteam: {}\n", `errand.yaml:2: not YAML: could not find expected ':': write "key: value"`},
		{"tab after a value", "primary: nikki\n\tagents: x\n", `errand.yaml:2: not YAML: found a tab character that violates indentation: indent with spaces`},
		{"not UTF-8", "primary: a\n# \xff\n", `errand.yaml:2: not YAML: it is not UTF-8 text`},
		{"binary", "primary: a\nx: \x00\n", `errand.yaml:2: not YAML: control characters are not allowed`},
		{"nested without end", strings.Repeat("[", 20_000), `errand.yaml:1: not YAML: exceeded max depth of 10000`},
		{"two documents", two + "---\nprimary: x\n", `errand.yaml:8: a second YAML document begins here: the file may have only one`},
		{"too large", "# " + strings.Repeat("x", 1<<20), `errand.yaml: is larger than 1 MB`},
		{"anchor", "slots: &a {turns: 1}\n", `errand.yaml:1: anchors and aliases (& and *) are not supported: write the value out`},
		{"bomb", "a: &a [x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n", `errand.yaml:1: anchors and aliases (& and *) are not supported: write the value out`},
		{"alias of nothing", "\nprimary: *x\n", `errand.yaml:2: not YAML: unknown anchor 'x' referenced`},
		{"key that is no word", "slots:\n  ? [a]\n  : b\n", `errand.yaml:2: slots: a key must be text, found a list`},
		{"merge key", "slots:\n  <<: {turns: 1}\n", `errand.yaml:2: slots: unknown key "<<" (known: deliveries, store, tasks, turns)`},

		// keys
		{"unknown key", "\nsesions: {}\n", `errand.yaml:2: unknown key "sesions" (did you mean "sessions"?)`},
		{"unknown key of a section", "sessions:\n  bussy: steer\n", `errand.yaml:2: sessions: unknown key "bussy" (did you mean "busy"?)`},
		{"unknown key of an agent", two + "    instruction: x\n", `errand.yaml:8: agent "sasha": unknown key "instruction" (did you mean "instructions"?)`},
		{"key of a later version", two + "    temperature: 1\n",
			`errand.yaml:8: agent "sasha": unknown key "temperature" (known: acts_as, delegates, description, effort, handoff_to, instructions, instructions_file, max_steps, model, notification, role, skills, sticky, sticky_for, tools, verbosity, voice, voice_file)`},
		{"questions that stay for ever", "questions:\n  expire_after: 0\n", `errand.yaml:2: questions.expire_after: questions have to expire: write for example 7d`},
		{"a rule for approvals", "approvals:\n  \"*\": sometimes\n", `errand.yaml:2: approvals.*: "sometimes" is not one of always, first, never`},
		{"approvals of a pattern of unknown tools", "approvals:\n  \"runn_*\": always\n", `errand.yaml:2: approvals.runn_*: there is no tool "runn_*" (known: call_agent, call_agent_async, consult, list_pending_async_agents, get_task, kill_async_agent, steer_task, remember, recall, list_working_memory, remind_me)`},
		{"approvals of an unknown server", shop + "approvals:\n  \"shopp.order\": always\n", `errand.yaml:5: approvals.shopp.order: there is no MCP server "shopp" in mcp_servers (did you mean "shop"?)`},
		{"rights of an unknown tool", "rights:\n  tools:\n    remind_mee: member\n", `errand.yaml:3: rights.tools.remind_mee: there is no tool "remind_mee" (did you mean "remind_me"?)`},
		{"rights of a pattern of unknown tools", "rights:\n  tools:\n    \"remin_*\": member\n", `errand.yaml:3: rights.tools.remin_*: there is no tool "remin_*" (did you mean "remind_me"?)`},
		{"rights of an unknown server", shop + "rights:\n  tools:\n    \"shopp.*\": member\n", `errand.yaml:6: rights.tools.shopp.*: there is no MCP server "shopp" in mcp_servers (did you mean "shop"?)`},
		{"approvals of an unknown tool", "approvals:\n  run_cod: always\n", `errand.yaml:2: approvals.run_cod: there is no tool "run_cod" (known: call_agent, call_agent_async, consult, list_pending_async_agents, get_task, kill_async_agent, steer_task, remember, recall, list_working_memory, remind_me)`},
		{"reminders out of order", "questions:\n  remind_after: [2d, 1h]\n", `errand.yaml:2: questions.remind_after[1]: 1h is not later than the time before it`},
		{"reminders too soon", "questions:\n  remind_after: [1s]\n", `errand.yaml:2: questions.remind_after[0]: 1s is less than 1m`},
		{"reminders at no time", "questions:\n  remind_after: [soon]\n", `errand.yaml:2: questions.remind_after[0]: "soon" is not a time: write for example 1h or 2d`},
		{"group sessions", "sessions:\n  group_sessions: ours\n", `errand.yaml:2: sessions.group_sessions: "ours" is not one of own, shared`},
		{"group sessions of a chat", "sessions:\n  group_sessions:\n    telegram/main/-1: ours\n", `errand.yaml:3: sessions.group_sessions.telegram/main/-1: "ours" is not one of own, shared`},
		{"group sessions of no chat", "sessions:\n  group_sessions: {main: shared}\n", `errand.yaml:2: sessions.group_sessions.main: write a chat as channel/account/chat, such as telegram/main/-1001234567`},
		{"unknown agent to hand over to", two + "    handoff_to: [nikky]\n", `errand.yaml:8: agent "sasha": unknown agent "nikky" in handoff_to (did you mean "nikki"?)`},
		{"hands over to itself", two + "    handoff_to: [sasha]\n", `errand.yaml:8: agent "sasha": hands over to itself`},
		{"role that does not exist", two + "    role: membre\n", `errand.yaml:8: agent "sasha": role: there is no role "membre" (did you mean "member"?)`},
		{"bound that does not exist", two + "    acts_as: boss\n", `errand.yaml:8: agent "sasha": acts_as: there is no role "boss" (known: admin, guest, master_admin, member, partner)`},
		{"unknown key of a budget", "budgets: {turn: {money: 1}}\n", `errand.yaml:1: budgets.turn: unknown key "money" (known: calls, cost, tokens)`},
		{"a key in the file", "models:\n  default:\n    name: x\n    base_url: http://h/v1\n    api_key: sk-1\n", `errand.yaml:5: model "default": unknown key "api_key" (did you mean "api_key_env"?)`},
		{"key twice", "slots: {}\nlimits: {}\nslots: {}\n", `errand.yaml:3: "slots" is already set on line 1`},

		// what errand says
		{"language", "\nlanguage: spanisch!\n", `errand.yaml:2: language: "spanisch!" is not a language tag such as es or pt-BR`},
		{"language without texts", "language: ja\n", `errand.yaml:1: language: errand has no texts in "ja": add them under texts`},
		{"texts as a list", "texts: [a]\n", `errand.yaml:1: texts: want settings, one "key: value" per line, found a list`},
		{"texts of no language", "texts:\n  klingonisch: {}\n", `errand.yaml:2: texts.klingonisch: "klingonisch" is not a language tag such as es or pt-BR`},
		{"unknown text", "texts:\n  es:\n    tasks.non: x\n", `errand.yaml:3: texts.es.tasks.non: unknown key (did you mean "tasks.none"?)`},
		{"placeholder missing", "texts:\n  es:\n    stop.done: Alto.\n    agent.active: Hola.\n",
			`errand.yaml:4: texts.es.agent.active: the placeholder {agent} is missing: this text needs {agent}`},
		{"unknown placeholder", "texts: {es: {stop.done: \"Alto, {name}.\"}}\n", `errand.yaml:1: texts.es.stop.done: unknown placeholder {name}: this text has none`},
		{"empty text", "texts: {es: {stop.done: }}\n", `errand.yaml:1: texts.es.stop.done: is empty`},
		{"text that is none", "texts: {es: {stop.done: [a]}}\n", `errand.yaml:1: texts.es.stop.done: want text, found a list`},

		// people
		{"role of a right", "rights:\n  commands:\n    /cancel: partnr\n", `errand.yaml:3: rights.commands./cancel: there is no role "partnr" (did you mean "partner"?)`},
		{"role of a right, as it is called here", "roles: {partner: boss}\nrights:\n  tools:\n    recall: chief\n",
			`errand.yaml:4: rights.tools.recall: there is no role "chief" (known: admin, boss, guest, master_admin, member, partner)`},
		{"no role", "rights: {tools: {recall: }}\n", `errand.yaml:1: rights.tools.recall: is empty: write a role`},
		{"right of nothing", "rights:\n  tools:\n    recal: guest\n", `errand.yaml:3: rights.tools.recal: there is no tool "recal" (did you mean "recall"?)`},
		{"right of no command", "rights:\n  commands: {cancle: guest}\n", `errand.yaml:2: rights.commands.cancle: there is no command "/cancle" (did you mean "/cancel"?)`},
		{"right of no agent", "rights:\n  agents: {sascha: member}\n", `errand.yaml:2: rights.agents.sascha: there is no agent "sascha" (did you mean "sasha"?)`},
		{"right of no route", "rights:\n  routes: {\"GET /api/task\": member}\n", `errand.yaml:2: rights.routes.GET /api/task: there is no route "GET /api/task" (did you mean "GET /api/tasks"?)`},
		{"two roles for one capability", "rights:\n  routes:\n    \"GET /api/tasks\": partner\n    \"GET /api/tasks/{id}\": guest\n",
			`errand.yaml:4: rights.routes.GET /api/tasks/{id}: GET /api/tasks is for partner and GET /api/tasks/{id} for guest, but both need the capability tasks.read, which can have only one role: replace both with rights.capabilities: {tasks.read: partner}, or with another role`},
		{"capability that there is not", "rights: {capabilities: {task.read: guest}}\n", `errand.yaml:1: rights.capabilities.task.read: there is no capability "task.read" (did you mean "tasks.read"?)`},
		{"kind of right", "rights: {tool: {}}\n", `errand.yaml:1: rights: unknown key "tool" (did you mean "tools"?)`},
		{"name of no role", "roles:\n  gest: visitor\n", `errand.yaml:2: roles: unknown key "gest" (did you mean "guest"?)`},
		{"name of another role", "roles:\n  guest: Member\n", `errand.yaml:2: roles.guest: "Member" is the name of another role: choose another`},
		{"one name for two", "roles: {guest: friend, member: Friend}\n", `errand.yaml:1: roles.member: role "member" and role "guest" would both be called "Friend"`},
		{"empty name", "roles: {guest: \" \"}\n", `errand.yaml:1: roles.guest: the name of a role must have 1 to 30 characters`},
		{"access to nothing", "access:\n  wathsapp: {mode: open}\n", `errand.yaml:2: access: unknown key "wathsapp" (did you mean "whatsapp"?)`},
		{"mode of access", "access:\n  web: {mode: opne}\n", `errand.yaml:2: access.web.mode: "opne" is not one of pairing, allowlist, open`},
		{"role of access", "access:\n  telegram:\n    mode: open\n    role: gest\n", `errand.yaml:4: access.telegram.role: there is no role "gest" (did you mean "guest"?)`},
		{"open to partners", "access: {telegram: {mode: open, role: partner}}\n", `errand.yaml:1: access.telegram.role: open lets everybody in, so the role can be member at most`},
		{"role of a pairing", "access: {telegram: {role: partner}}\n", `errand.yaml:1: access.telegram.role: works only with the modes allowlist and open: with pairing, the person who approves chooses the role`},
		{"nobody on the list", "access: {telegram: {mode: allowlist}}\n", `errand.yaml:1: access.telegram.mode: allowlist needs the list allow: without it nobody gets in`},
		{"a list that is not asked for", "access: {telegram: {allow: [\"7\"]}}\n", `errand.yaml:1: access.telegram.allow: works only with the mode allowlist; the mode here is pairing`},
		{"a list of browsers", "access: {web: {mode: allowlist, allow: [a]}}\n",
			`errand.yaml:1: access.web.allow: does not work on web, because browsers have no ids: with allowlist, people need a token to use the page`},
		{"rate", "limits: {messages_per_minute: {person: -1}}\n", `errand.yaml:1: limits.messages_per_minute.person: -1 is negative`},

		{"downloads", "limits:\n  downloads: 0\n", `errand.yaml:2: limits.downloads: 0 is not between 1 and 100`},
		{"bytes of a day", "limits:\n  attachment_bytes: 1\n  attachment_bytes_per_day: {person: -1}\n", `errand.yaml:3: limits.attachment_bytes_per_day.person: -1 is negative`},
		{"whose bytes of a day", "limits: {attachment_bytes_per_day: {persons: 5}}\n", `errand.yaml:1: limits.attachment_bytes_per_day: unknown key "persons" (did you mean "person"?)`},
		{"attachments", "limits: {attachment_bytes: 300000000}\n", `errand.yaml:1: limits.attachment_bytes: 300000000 is not between 0 and 200000000`},
		{"a voice without a key", "\nvoice: {}\n", `errand.yaml:2: voice: has no API key: set OPENAI_API_KEY, api_key_env or base_url`},
		{"language of a voice", "voice: {base_url: \"http://127.0.0.1:1/v1\", language: English}\n", `errand.yaml:1: voice.language: want a language such as en, found "English"`},
		{"price of a voice", "voice:\n  base_url: \"http://127.0.0.1:1/v1\"\n  price: {minute: -1}\n", `errand.yaml:3: voice.price.minute: -1 is negative`},
		{"length of a voice", "voice: {base_url: \"http://127.0.0.1:1/v1\", max_length: 20}\n", `errand.yaml:1: voice.max_length: "20" is not a duration: write for example 90s, 30m or 1h30m`},
		{"model of a voice", "voice: {base_url: \"http://127.0.0.1:1/v1\", model: \"\"}\n",
			`errand.yaml:1: voice.model: want what the provider calls the model, such as whisper-1, found nothing`},

		// agents
		{"primary missing", "agents:\n  a: {instructions: x}\n", `errand.yaml:1: primary is missing: name the agent that a session starts with`},
		{"primary unknown", "primary: niki\nagents:\n  nikki: {instructions: x}\n", `errand.yaml:1: primary: unknown agent "niki" (did you mean "nikki"?)`},
		{"no agents", "primary: nikki\nagents: {}\n", `errand.yaml:2: there are no agents`},
		{"agents as a list", "agents:\n  - nikki\n", `errand.yaml:2: agents: want settings, one "key: value" per line, found a list`},
		{"agent twice", two + "  nikki: {instructions: x}\n", `errand.yaml:8: agents: "nikki" is already set on line 3`},
		{"agent's name", "primary: Nikki\nagents:\n  Nikki: {instructions: x}\n", `errand.yaml:3: agent "Nikki": the name must begin with a small letter and have at most 31 small letters, digits, _ and -`},
		{"unreachable", two + "  finn: {instructions: x}\n",
			`errand.yaml:8: agent "finn": no agent can reach it: add it to delegates or handoff_to of "nikki", the primary agent, or of an agent that "nikki" can reach`},
		{"unreachable in the default roster", "slots: {}\nprimary: finn\n",
			`errand.yaml:2: agent "nikki": no agent can reach it: add it to delegates or handoff_to of "finn", the primary agent, or of an agent that "finn" can reach` + "\n" +
				`errand.yaml:2: agent "priest": no agent can reach it: add it to delegates or handoff_to of "finn", the primary agent, or of an agent that "finn" can reach` + "\n" +
				`errand.yaml:2: agent "sasha": no agent can reach it: add it to delegates or handoff_to of "finn", the primary agent, or of an agent that "finn" can reach`},
		{"itself", two + "    delegates: [sasha]\n", `errand.yaml:8: agent "sasha": delegates to itself`},
		{"unknown delegate", two + "    delegates:\n      - nikki\n      - fin\n", `errand.yaml:10: agent "sasha": unknown delegate "fin" (known: nikki, sasha)`},
		{"mistyped delegate", two + "    delegates: [nikky]\n", `errand.yaml:8: agent "sasha": unknown delegate "nikky" (did you mean "nikki"?)`},
		{"delegates as a word", two + "    delegates: nikki\n", `errand.yaml:8: agent "sasha": delegates: want a list such as [one, two], found "nikki"`},
		{"tool of an unknown server", two + "    tools: [recall, shopp.order]\n" + shop, `errand.yaml:8: agent "sasha": tool "shopp.order": there is no MCP server "shopp" in mcp_servers (did you mean "shop"?)`},
		{"unknown tool", two + "    tools: [recall, call_agnet]\n", `errand.yaml:8: agent "sasha": unknown tool "call_agnet" (did you mean "call_agent"?)`},
		{"tools left empty", two + "    tools:\n", `errand.yaml:8: agent "sasha": tools: is empty: write [] for no tools, or leave the key out for all built-in tools`},
		{"nothing in a list", two + "    tools: [recall, ]\n    delegates: [~]\n", `errand.yaml:9: agent "sasha": delegates[0]: want text, found nothing`},
		{"unknown model", two + "    model: gpt-x\n", `errand.yaml:8: agent "sasha": unknown model "gpt-x" (known: default)`},
		{"mistyped model", "models:\n  default: {name: x, base_url: 'http://h'}\n  small: {name: y, base_url: 'http://h'}\n" + two + "    model: smal\n", `errand.yaml:11: agent "sasha": unknown model "smal" (did you mean "small"?)`},
		{"no instructions", two + "  finn:\n    voice: dry\n    delegates: [sasha]\n",
			`errand.yaml:8: agent "finn": instructions are missing: set instructions or instructions_file` + "\n" +
				`errand.yaml:8: agent "finn": no agent can reach it: add it to delegates or handoff_to of "nikki", the primary agent, or of an agent that "nikki" can reach`},
		{"empty instructions", "primary: a\nagents:\n  a:\n    voice: x\n    instructions: ' '\n", `errand.yaml:5: agent "a": instructions are missing: set instructions or instructions_file`},
		{"nothing at all of an agent", "primary: a\nagents:\n  a:\n", `errand.yaml:3: agent "a": instructions are missing: set instructions or instructions_file`},
		{"missing file", "primary: a\nagents:\n  a:\n    instructions_file: gone.md\n", `errand.yaml:4: agent "a": instructions_file: gone.md: no such file or directory`},
		{"missing voice", two + "    voice_file: ../gone.md\n", `errand.yaml:8: agent "sasha": voice_file: ../gone.md: no such file or directory`},
		{"empty file", "primary: a\nagents:\n  a:\n    instructions_file: empty.md\n", `errand.yaml:4: agent "a": instructions_file: empty.md: is empty`},
		{"directory", "primary: a\nagents:\n  a:\n    instructions_file: .\n", `errand.yaml:4: agent "a": instructions_file: .: is a directory`},
		{"both", two + "    instructions_file: empty.md\n", `errand.yaml:8: agent "sasha": instructions_file: instructions is set too: keep only one of them`},
		{"place of a notification", two + "    notification: \"Done: {titel} ({id})\"\n", `errand.yaml:8: agent "sasha": notification: unknown placeholder {titel} (did you mean "title"?)`},
		{"notification without the task", two + "    voice: dry\n    notification: Done.\n", `errand.yaml:9: agent "sasha": notification: the placeholder {id} is missing: people need it to refer to the task`},
		{"notification that is none", two + "    notification: [a]\n", `errand.yaml:8: agent "sasha": notification: want text, found a list`},
		{"empty notification", two + "    notification: \" \"\n", `errand.yaml:8: agent "sasha": notification: is empty`},
		{"long notification", two + "    notification: \"{id} " + strings.Repeat("x", 500) + "\"\n", `errand.yaml:8: agent "sasha": notification: is longer than 500 characters`},
		{"notification by language", two + "    notification:\n      es: Hecho.\n      en: \"{id} {when}\"\n",
			`errand.yaml:9: agent "sasha": notification.es: the placeholder {id} is missing: people need it to refer to the task` + "\n" +
				`errand.yaml:10: agent "sasha": notification.en: unknown placeholder {when} (known: agent, id, title, asked)`},
		{"notification in no language", two + "    notification: {klingonisch: x}\n", `errand.yaml:8: agent "sasha": notification.klingonisch: "klingonisch" is not a language tag such as es or pt-BR`},
		{"notification without texts", two + "    notification: {ja: x}\n", `errand.yaml:8: agent "sasha": notification.ja: errand has no texts in "ja": add them under texts`},
		{"notification twice in a language", two + "    notification:\n      es: \"{id}\"\n      es-ES: \"{id}\"\n", `errand.yaml:10: agent "sasha": notification.es-ES: this language has a text already`},
		{"nothing in a language", two + "    notification: {es: }\n", `errand.yaml:8: agent "sasha": notification.es: is empty`},
		{"steps", two + "    max_steps: 0\n", `errand.yaml:8: agent "sasha": max_steps: 0 is not between 1 and 1000`},
		{"effort", two + "    effort: extreme\n", `errand.yaml:8: agent "sasha": effort: "extreme" is not one of none, minimal, low, medium, high, xhigh, max`},
		{"verbosity", two + "    verbosity: none\n", `errand.yaml:8: agent "sasha": verbosity: "none" is not one of low, medium, high`},
		{"price of the cache", "models:\n  default:\n    name: x\n    base_url: http://h/v1\n    price:\n      cached: -1\n", `errand.yaml:6: model "default": price.cached: -1 is negative`},
		{"what a server accepts", "models:\n  default:\n    name: x\n    base_url: http://h/v1\n    accepts: [effort, tea]\n", `errand.yaml:5: model "default": accepts[1]: "tea" is not one of cache_key, effort, verbosity`},
		{"negative steps", two + "    max_steps: -5\n", `errand.yaml:8: agent "sasha": max_steps: -5 is negative`},

		// models
		{"model without a name", "models:\n  default:\n    base_url: http://h/v1\n", `errand.yaml:2: model "default": name: is missing: write the provider's name for the model, such as gpt-5-mini`},
		{"no key", "models:\n  default: {name: x}\n", `errand.yaml:2: model "default": has no API key: set OPENAI_API_KEY, api_key_env or base_url`},
		{"variable not set", "models:\n  default:\n    name: x\n    api_key_env: MY_KEY\n", `errand.yaml:4: model "default": api_key_env: the environment variable MY_KEY is not set`},
		{"key instead of variable", "models:\n  default:\n    name: x\n    api_key_env: sk-1234\n",
			`errand.yaml:4: model "default": api_key_env: want the name of an environment variable; the key itself does not belong in this file`},
		{"address", "models:\n  default: {name: x, base_url: 'ftp://h'}\n", `errand.yaml:2: model "default": base_url: want an address such as https://api.openai.com/v1`},
		{"password in the address", "models:\n  default: {name: x, base_url: 'http://u:p@h/v1'}\n", `errand.yaml:2: model "default": base_url: keys and passwords do not belong in an address: use api_key_env`},
		{"negative price", "models:\n  default:\n    name: x\n    base_url: http://h/v1\n    price:\n      input: -1\n", `errand.yaml:6: model "default": price.input: -1 is negative`},
		{"no price", "models:\n  default: {name: x, base_url: 'http://h', price: {input: .nan}}\n", `errand.yaml:2: model "default": price.input: want an amount in USD such as 0.25, found ".nan"`},
		{"no room", "models:\n  default: {name: x, base_url: 'http://h', context_tokens: 100, max_output: 100}\n", `errand.yaml:2: model "default": max_output: 100 must be less than context_tokens, which is 100`},
		{"provider without address", "models:\n  default:\n    name: x\n    base_url: http://h\n    providers:\n      - {name: y}\n", `errand.yaml:6: model "default": providers[0].base_url: is missing: write the address of this provider`},
		{"no provider", "models:\n  default:\n    name: x\n    base_url: http://h\n    providers:\n      -\n", `errand.yaml:6: model "default": providers[0]: want settings, one "key: value" per line, found nothing`},
		{"no calls", "models:\n  default: {name: x, base_url: 'http://h', concurrency: 0}\n", `errand.yaml:2: model "default": concurrency: 0 is not between 1 and 10000`},
		{"no such wire", "models:\n  default: {name: x, base_url: 'http://h', api: morse}\n", `errand.yaml:2: model "default": api: "morse" is not one of auto, chat, responses`},
		{"background over chat", "models:\n  default: {name: x, base_url: 'http://h', background: true}\n", `errand.yaml:2: model "default": background: needs the Responses API: add api: responses if the server supports it`},
		{"background of a provider", "models:\n  default:\n    name: x\n    base_url: http://h\n    providers:\n      - {base_url: 'http://i', api: chat, background: true}\n", `errand.yaml:6: model "default": providers[0].background: needs the Responses API: add api: responses if the server supports it`},
		{"no patience", "models:\n  default:\n    name: x\n    base_url: http://h\n    providers:\n      - {base_url: 'http://i', first_token: 10}\n", `errand.yaml:6: model "default": providers[0].first_token: "10" is not a duration: write for example 90s, 30m or 1h30m`},
		{"models without a default", two + "models:\n  small: {name: x, base_url: 'http://h'}\n",
			`errand.yaml:3: agent "nikki": has no model, and models has no "default": set one of them` + "\n" + `errand.yaml:6: agent "sasha": has no model, and models has no "default": set one of them`},

		// the web
		{"search without an engine", "web: {search: {base_url: 'http://h'}}\n", `errand.yaml:1: web.search.engine: is missing: write one of duckduckgo, searxng, brave, tavily, exa, none`},
		{"engine that does not exist", "web:\n  search: {engine: google}\n", `errand.yaml:2: web.search.engine: "google" is not one of duckduckgo, searxng, brave, tavily, exa, none`},
		{"SearXNG nowhere", "web:\n  search: {engine: searxng}\n", `errand.yaml:2: web.search.base_url: is missing: write the address of your SearXNG, such as http://192.168.1.5:8888`},
		{"Brave without a key", "web:\n  search: {engine: brave}\n", `errand.yaml:2: web.search: brave needs an API key: set BRAVE_API_KEY, or name another variable in api_key_env`},
		{"key of DuckDuckGo", "web:\n  search: {engine: duckduckgo, api_key_env: X}\n", `errand.yaml:2: web.search.api_key_env: duckduckgo needs no key: remove it`},
		{"key of Exa in the file", "web:\n  search: {engine: exa, api_key_env: sk-1}\n", `errand.yaml:2: web.search.api_key_env: want the name of an environment variable; the key itself does not belong in this file`},
		{"address to allow", "web:\n  fetch:\n    allow: [wiki.home, 'https://wiki.home/x']\n", `errand.yaml:3: web.fetch.allow[1]: "https://wiki.home/x" is not a host: write host or host:port, without https:// and path`},
		{"network to allow", "web:\n  fetch:\n    allow: [10.0.0.0/8]\n", `errand.yaml:3: web.fetch.allow[0]: "10.0.0.0/8" is not a host: write host or host:port, without https:// and path`},

		// numbers and words
		{"duration", "sessions:\n  patience: 60\n", `errand.yaml:2: sessions.patience: "60" is not a duration: write for example 90s, 30m or 1h30m`},
		{"negative duration", "sessions:\n  fold_window: -3s\n", `errand.yaml:2: sessions.fold_window: -3s is negative`},
		{"short duration", "sessions:\n  suspend_after: 1ms\n", `errand.yaml:2: sessions.suspend_after: 1ms is less than 1s`},
		{"age", "sessions:\n  end_after: soon\n", `errand.yaml:2: sessions.end_after: "soon" is not a number of days: write for example 30d, or 0 for ever`},
		{"short age", "retention: {transcripts: 5m}\n", `errand.yaml:1: retention.transcripts: 5m is less than 1h`},
		{"negative age", "retention: {deliveries: -3d}\n", `errand.yaml:1: retention.deliveries: -3d is negative`},
		{"age beyond all numbers", "retention: {memory: 106752d}\n", `errand.yaml:1: retention.memory: "106752d" is not a number of days: write for example 30d, or 0 for ever`},
		{"time zone", "\ntime_zone: Middle/Earth\n", `errand.yaml:2: time_zone: "Middle/Earth" is not a time zone: write for example Europe/Oslo, UTC or Local`},
		{"backup without a folder", "backup: {every: 24h}\n", `errand.yaml:1: backup: names no folder: write one under folder, best on another disk`},
		{"backup without a time", "backup: {folder: b}\n", `errand.yaml:1: backup: has no every: write for example every: 24h`},
		{"backup too often", "backup: {folder: b, every: 1s}\n", `errand.yaml:1: backup.every: 1s is less than 1m`},
		{"time of day", "maintenance:\n  at: 25:00\n", `errand.yaml:2: maintenance.at: "25:00" is not a time of day: write for example "03:00"`},
		{"busy", "sessions:\n  busy: later\n", `errand.yaml:2: sessions.busy: "later" is not one of collect, steer, queue, interrupt`},
		{"begin with", "sessions:\n  begin_with: finn\n", `errand.yaml:2: sessions.begin_with: "finn" is not one of primary, last`},
		{"title model", "models: {small: {name: y, base_url: \"http://127.0.0.1:11434/v1\"}, default: {name: x, base_url: \"http://127.0.0.1:11434/v1\"}}\nsessions:\n  title_model: smal\n", `errand.yaml:3: sessions.title_model: there is no model "smal" (did you mean "small"?)`},
		{"pairs", "delegation: {pair_per_hour: -1}\n", `errand.yaml:1: delegation.pair_per_hour: -1 is negative`},
		{"depth", "delegation: {max_depth: 0}\n", `errand.yaml:1: delegation.max_depth: 0 is not between 1 and 10`},
		{"fraction", "budgets:\n  turn:\n    calls: 1.5\n", `errand.yaml:3: budgets.turn.calls: want a whole number, found "1.5"`},
		{"huge", "budgets: {turn: {tokens: 99999999999999999999}}\n", `errand.yaml:1: budgets.turn.tokens: want a whole number, found "99999999999999999999"`},
		{"negative budget", "budgets: {person_day: {cost: -0.5}}\n", `errand.yaml:1: budgets.person_day.cost: -0.5 is negative`},
		{"boolean", "temporal:\n  titles: maybe\n", `errand.yaml:2: temporal.titles: want true or false, found "maybe"`},
		{"durability", "durability: best\n", `errand.yaml:1: durability: "best" is not one of normal, full`},
		{"section as a word", "limits: none\n", `errand.yaml:1: limits: want settings, one "key: value" per line, found "none"`},
		{"listen", "\nlisten: 0.0.0.0\n", `errand.yaml:2: listen: "0.0.0.0" is not an address such as 127.0.0.1:8080`},
		{"public url without a scheme", "\npublic_url: errand.example.org\n", `errand.yaml:2: public_url: "errand.example.org" is not an address such as https://errand.example.org (without a path: errand needs its own host name)`},
		{"public url with a path", "public_url: https://example.org/errand\n", `errand.yaml:1: public_url: "https://example.org/errand" is not an address such as https://errand.example.org (without a path: errand needs its own host name)`},
		{"a proxy's name", "\ntrusted_proxies:\n  - 10.0.0.5\n  - proxy\n", `errand.yaml:4: trusted_proxies[1]: "proxy" is not an address or network: write for example 10.0.0.5 or 10.0.0.0/8`},
		{"an origin with a path", "v1:\n  origins: [\"http://localhost:3000\", \"http://localhost:3000/\"]\n", `errand.yaml:2: v1.origins[1]: "http://localhost:3000/" is not an origin: write for example http://localhost:3000, without a path`},
		{"any origin", "v1: {origins: [\"*\"]}\n", `errand.yaml:1: v1.origins[0]: "*" is not an origin: write for example http://localhost:3000, without a path`},
		{"log", "log: {level: loud}\n", `errand.yaml:1: log.level: "loud" is not one of debug, info, warn, error`},

		// all of it at once, in the order of the lines
		{"of every kind", "sesions: {}\nsessions: {busy: later, patience: 60, busy: queue}\nteam: {at_once: [1], per_minute: 0}\nretention: {audit: soon}\ntemporal: no idea\n" + two + "    tools: nothing\n    delegates: [nikki, fin, {a: b}]\n    max_steps: x\n",
			`errand.yaml:1: unknown key "sesions" (did you mean "sessions"?)` + "\n" +
				`errand.yaml:2: sessions.busy: "later" is not one of collect, steer, queue, interrupt` + "\n" +
				`errand.yaml:2: sessions.patience: "60" is not a duration: write for example 90s, 30m or 1h30m` + "\n" +
				`errand.yaml:2: sessions: "busy" is already set on line 2` + "\n" +
				`errand.yaml:3: team.at_once: want a whole number, found a list` + "\n" +
				`errand.yaml:3: team.per_minute: 0 is not between 1 and 1000` + "\n" +
				`errand.yaml:4: retention.audit: "soon" is not a number of days: write for example 30d, or 0 for ever` + "\n" +
				`errand.yaml:5: temporal: want settings, one "key: value" per line, found "no idea"` + "\n" +
				`errand.yaml:13: agent "sasha": tools: want a list such as [one, two], found "nothing"` + "\n" +
				`errand.yaml:14: agent "sasha": delegates[2]: want text, found settings` + "\n" +
				`errand.yaml:14: agent "sasha": unknown delegate "fin" (known: nikki, sasha)` + "\n" +
				`errand.yaml:15: agent "sasha": max_steps: want a whole number, found "x"`},
		{"several", "primary: x\nslots: {turns: 0}\nagents:\n  a: {instructions: i, tools: [fly]}\n",
			`errand.yaml:1: primary: unknown agent "x" (known: a)` + "\n" + `errand.yaml:2: slots.turns: 0 is not between 1 and 10000` + "\n" + `errand.yaml:4: agent "a": unknown tool "fly" (known: call_agent, call_agent_async, consult, list_pending_async_agents, get_task, kill_async_agent, steer_task, remember, recall, list_working_memory, remind_me)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("empty.md", []byte("\n"), 0o600))
			c, err := load(t, tt.file, nil, config.Flags{})
			require.EqualError(t, err, tt.want)
			require.Nil(t, c)
			var e *config.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, "errand.yaml", e.File)
		})
	}
}

func TestRefusedEnvironmentAndFlags(t *testing.T) {
	tests := []struct {
		name  string
		env   map[string]string
		flags config.Flags
		want  string
	}{
		{"model only", map[string]string{"ERRAND_MODEL": "x"}, config.Flags{}, "ERRAND_MODEL is set, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is: set one of them"},
		{"base URL", map[string]string{"OPENAI_BASE_URL": "localhost:1"}, config.Flags{}, "OPENAI_BASE_URL: want an address such as https://api.openai.com/v1"},
		{"database", map[string]string{"DATABASE_URL": "mysql://u:secret@h/d"}, config.Flags{}, "DATABASE_URL: want postgres://user:password@host/database"},
		{"listen", map[string]string{"ERRAND_LISTEN": "8080"}, config.Flags{}, `ERRAND_LISTEN: "8080" is not an address such as 127.0.0.1:8080`},
		{"port", nil, config.Flags{Listen: "localhost:99999"}, `--listen: "localhost:99999" is not an address such as 127.0.0.1:8080`},
		{"offset", nil, config.Flags{PortOffset: -1}, "--port-offset: -1 is not between 0 and 57302"},
		{"shifted too far", map[string]string{"ERRAND_LISTEN": "localhost:65530"}, config.Flags{PortOffset: 10}, "ERRAND_LISTEN: with --port-offset 10 the port is 65540; the highest port is 65535"},
		{"log format", nil, config.Flags{LogFormat: "xml"}, `--log-format: "xml" is not one of text, json`},
		{"log level", nil, config.Flags{LogLevel: "all"}, `--log-level: "all" is not one of debug, info, warn, error`},
		{"file", map[string]string{"ERRAND_CONFIG": "/gone/errand.yaml"}, config.Flags{}, "/gone/errand.yaml: no such file or directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			_, err := load(t, "", tt.env, tt.flags)
			require.EqualError(t, err, tt.want)
		})
	}
}

// Whatever the file is, Load answers with a Config or with errors that a person
// can read, never both, never with a panic.
func FuzzLoad(f *testing.F) {
	example, err := os.ReadFile("../../docs/errand.example.yaml")
	require.NoError(f, err)
	f.Add(string(example))
	f.Add(two)
	for _, seed := range []string{
		"a: &a [*a]", "? ", "- - -", "{", "agents: {a: {delegates: [[]]}}", "models: {default: {providers: [~, {}, []]}}",
		"!!map {a: b}", "primary: !!binary eA==", "sessions: {patience: !!int x}", "<<: {}", "---\n...\n---", "\ufeffprimary: a", "agents: {\"\": {}}",
	} {
		f.Add(seed)
	}
	path := f.TempDir() + "/errand.yaml"
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "_file") || strings.Contains(text, `\`) {
			t.Skip("would read any file of this machine")
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		src := sources(nil, config.Flags{Config: path})
		c, err := config.Load(src)
		require.NotEqual(t, c == nil, err == nil)
		if err == nil {
			require.NotNil(t, c.Roster.Primary())
			for _, name := range c.Roster.Names() {
				a, _ := c.Roster.Agent(name)
				_, known := c.Models[a.Model]
				require.True(t, known || c.Demo)
			}
			return
		}
		for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
			require.NotEmpty(t, e.(*config.Error).Text)
			require.Less(t, len(e.Error()), 2000+len(path))
		}
	})
}

// TestCodeRefused proves that what cannot run programs is refused with what can.
func TestCodeRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, file := range map[string]string{
		"errand runs no program without a sandbox":            "code: {sandbox: host}\n",
		`"jail" is not one of auto, docker`:                   "code: {sandbox: jail}\n",
		"docker needs an image: set code.image":               "code: {sandbox: docker}\n",
		`want the name of an image, found "--privileged img"`: "code: {image: \"--privileged img\"}\n",
		"2h is more than 1h":                                  "code: {timeout: 2h}\n",
		"1 is not between 64 and 64000":                       "code: {memory_mb: 1}\n",
	} {
		_, err := load(t, file, nil, config.Flags{})
		require.ErrorContains(t, err, want)
	}
}
