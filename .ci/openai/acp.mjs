// An editor: its agent is on standard input and output, what it finds goes to standard error.
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'

const fails = []
const want = (name, ok, got) => { console.error(ok ? 'ok  ' : 'FAIL', name, ok ? '' : JSON.stringify(got)); if (!ok) fails.push(name) }
const updates = []
const editor = {
  async sessionUpdate ({ update }) { updates.push(update); news() },
  async requestPermission () { return { outcome: { outcome: 'cancelled' } } },
}
let news = () => {}
const seen = async what => { while (!updates.some(what)) await new Promise(resolve => { news = resolve }) }
const text = () => updates.filter(u => u.sessionUpdate === 'agent_message_chunk').map(u => u.content.text).join('')
const agent = new acp.ClientSideConnection(() => editor, acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))

const is = await agent.initialize({ protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} })
want('initialize', is.protocolVersion === 1 && is.agentInfo.name === 'errand' && is.agentCapabilities.loadSession, is)
const { sessionId, modes } = await agent.newSession({ cwd: process.cwd(), mcpServers: [] })
want('agents are modes', modes.currentModeId === 'nikki' && modes.availableModes.some(m => m.id === 'sasha'), modes)
const say = words => agent.prompt({ sessionId, prompt: [{ type: 'text', text: words }] })
const first = await say('hello editor')
want('prompt', first.stopReason === 'end_turn' && text().includes('hello editor'), [first, updates])
await say(process.env.DELEGATE)
const card = updates.find(u => u.sessionUpdate === 'tool_call')
want('a task is a card', card?.title === 'Sasha: find trains' && updates.some(u => u.sessionUpdate === 'tool_call_update' && u.toolCallId === card.toolCallId && u.status === 'completed'), updates)
updates.length = 0
const waiting = say(process.env.NEVER)
await seen(u => u.sessionUpdate === 'tool_call')
await agent.cancel({ sessionId })
want('cancel', (await waiting).stopReason === 'cancelled', await waiting)
await agent.setSessionMode({ sessionId, modeId: 'sasha' })
updates.length = 0
await agent.loadSession({ sessionId, cwd: process.cwd(), mcpServers: [] })
want('load', updates.some(u => u.sessionUpdate === 'user_message_chunk' && u.content.text === 'hello editor') && text().includes('hello editor'), updates)
const { sessions } = await agent.listSessions({ cwd: process.cwd() })
want('list', sessions.some(s => s.sessionId === sessionId), sessions)
const missing = await agent.prompt({ sessionId: 'nobody', prompt: [{ type: 'text', text: 'x' }] }).catch(e => e)
want('no such session', missing.code === -32002, missing)
process.exit(fails.length ? 1 : 0)
