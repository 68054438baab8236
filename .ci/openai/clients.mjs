import OpenAI from 'openai'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { createOpenAI } from '@ai-sdk/openai'

const baseURL = process.env.BASE_URL, apiKey = process.env.API_KEY
const fails = []
const want = (name, ok, got) => { console.log(ok ? 'ok  ' : 'FAIL', name, ok ? '' : JSON.stringify(got)); if (!ok) fails.push(name) }
const openai = new OpenAI({ baseURL, apiKey })
const models = []
for await (const m of await openai.models.list()) models.push(m.id)
want('models', models.includes('errand') && models.includes('sasha'), models)
const one = await openai.chat.completions.create({ model: 'errand', messages: [{ role: 'user', content: 'hello there' }] })
want('completion', one.choices[0].message.content.includes('hello there') && one.usage.total_tokens > 0, one)
let text = ''
for await (const c of await openai.chat.completions.create({ model: 'errand', stream: true, messages: [{ role: 'user', content: 'hello stream' }] })) text += c.choices[0]?.delta?.content ?? ''
want('stream', text.includes('hello stream'), text)
const first = await openai.responses.create({ model: 'errand', input: 'my cat is Mo' })
want('response', first.output_text.includes('my cat is Mo'), first)
const second = await openai.responses.create({ input: 'who?', previous_response_id: first.id })
want('previous', second.output_text.includes('who?'), second)
const again = await openai.responses.retrieve(second.id)
want('retrieved', again.output_text === second.output_text, again)
const conversationOf = response => response.id.slice(0, response.id.lastIndexOf('_'))
want('the same conversation', conversationOf(second) === conversationOf(first), [first.id, second.id])
const terse = await openai.responses.create({ model: 'errand', input: 'my dog is Bo', instructions: 'be brief' })
want('instructions', terse.output_text.includes('be brief'), terse)
const referred = await openai.responses.create({ input: [{ role: 'user', content: 'who?' }, { type: 'item_reference', id: second.output[0].id }, { role: 'user', content: 'and now?' }] })
want('conversation of an item', conversationOf(referred) === conversationOf(second), referred.id)
const inNamed = await openai.responses.create({ input: 'hello', conversation: { id: 'conv one' } })
want('conversation by name', conversationOf(inNamed) !== conversationOf(first), inNamed.id)
const once = { model: 'sasha', input: 'once' }
const tries = [await openai.responses.create(once, { headers: { 'Idempotency-Key': 'retry-1' } }), await openai.responses.create(once, { headers: { 'Idempotency-Key': 'retry-1' } })]
want('idempotency key', tries[0].id === tries[1].id && tries[0].output_text === tries[1].output_text, tries)
const streamed = openai.responses.stream({ model: 'errand', input: 'streamed response' })
const whole = await streamed.finalResponse()
want('response stream', whole.output_text.includes('streamed response'), whole)
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
const asked = 'do ' + JSON.stringify([{ Tool: 'get_weather', Args: '{"city":"Oslo"}' }])
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: schema, strict: true } }]
const messages = [{ role: 'user', content: asked }]
const called = (await openai.chat.completions.create({ model: 'errand', messages, tools })).choices[0]
want('tool calls', called.finish_reason === 'tool_calls' && called.message.tool_calls[0].function.arguments === '{"city":"Oslo"}', called)
messages.push(called.message, { role: 'tool', tool_call_id: called.message.tool_calls[0].id, content: 'wet' })
const told = await openai.chat.completions.create({ model: 'errand', messages, tools })
want('tool output', told.choices[0].message.content === 'told: wet', told)
const items = [{ type: 'function', name: 'get_weather', parameters: schema, strict: true }]
const calls = await openai.responses.stream({ model: 'errand', input: asked, tools: items }).finalResponse()
const call = calls.output.find(o => o.type === 'function_call')
want('response, tool calls', call?.arguments === '{"city":"Oslo"}', calls)
const after = await openai.responses.create({ previous_response_id: calls.id, input: [{ type: 'function_call_output', call_id: call?.call_id, output: 'wet' }] })
want('response, tool output', after.output_text === 'told: wet', after)
const reread = await openai.responses.retrieve(calls.id)
want('response, tool calls read again', reread.output.find(o => o.type === 'function_call')?.call_id === call?.call_id, reread)
for (const [name, before] of [['an item', c => ({ type: 'item_reference', id: c.id })], ['the whole conversation', c => ({ type: 'function_call', call_id: c.call_id, name: c.name, arguments: c.arguments })]]) {
  const asking = await openai.responses.create({ model: 'errand', input: asked, tools: items })
  const c = asking.output.find(o => o.type === 'function_call')
  const got = await openai.responses.create({ input: [{ role: 'user', content: 'x' }, before(c), { type: 'function_call_output', call_id: c.call_id, output: 'wet' }] })
  want('response, tool output by ' + name, got.output_text === 'told: wet', got)
}
const readFile = { type: 'function', function: { name: 'read_file', parameters: schema } }
const named = await openai.chat.completions.create({ model: 'errand', tools: [readFile], messages: [{ role: 'user', content: 'do ' + JSON.stringify([{ Tool: 'client__read_file', Args: '{"city":"Oslo"}' }]) }] }).catch(e => e)
want('a tool with the name of one of errand', named.choices?.[0].message.tool_calls?.[0].function.name === 'read_file', named)
const narrow = new OpenAI({ baseURL, apiKey: process.env.CHAT_KEY }) // a token with the scope chat, as the docs say
const counted = await narrow.chat.completions.create({ model: 'errand', messages: [{ role: 'user', content: 'count' }] })
want('usage with the scope chat', counted.usage?.total_tokens > 0, counted)
let usage
for await (const c of await narrow.chat.completions.create({ model: 'errand', stream: true, stream_options: { include_usage: true }, messages: [{ role: 'user', content: 'count' }] })) usage = c.usage ?? usage
want('usage with the scope chat, stream', usage?.total_tokens > 0, usage)
const weighed = await narrow.responses.create({ model: 'errand', input: 'count' })
want('usage with the scope chat, response', weighed.usage?.total_tokens > 0, weighed)
const missing = await openai.chat.completions.create({ model: 'gpt-9', messages: [{ role: 'user', content: 'x' }] }).catch(e => e)
want('no such model', missing instanceof OpenAI.NotFoundError && missing.code === 'model_not_found', missing)
const denied = await new OpenAI({ baseURL, apiKey: 'errand_nobody' }).models.list().catch(e => e)
want('no such token', denied instanceof OpenAI.AuthenticationError, denied)

const provider = createOpenAI({ baseURL, apiKey })
for (const [name, model] of [['ai: chat', provider.chat('errand')], ['ai: responses', provider.responses('errand')]]) {
  const got = await generateText({ model, prompt: 'hello ai' })
  want(name, got.text.includes('hello ai') && got.usage.totalTokens > 0, got.text)
  const s = streamText({ model, prompt: 'hello ai stream' })
  let all = ''
  for await (const p of s.textStream) all += p
  want(name + ' stream', all.includes('hello ai stream'), all)
  const used = { model, prompt: asked, stopWhen: stepCountIs(3), tools: { get_weather: tool({ inputSchema: jsonSchema(schema), execute: async ({ city }) => 'wet in ' + city }) } }
  want(name + ' tools', (await generateText(used)).text === 'told: wet in Oslo', used)
  want(name + ' tools, stream', (await streamText(used).text) === 'told: wet in Oslo', used)
}
process.exit(fails.length ? 1 : 0)
