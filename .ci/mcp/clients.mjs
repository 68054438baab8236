// Clients that the protocol's own project publishes, against the door of an installation: the
// SDK of the versions with a handshake, and the client of the tasks extension.
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client'

const url = new URL(process.env.MCP_URL)
const headers = { authorization: 'Bearer ' + process.env.API_KEY }
const clientInfo = { name: 'checks', version: '1' }
const fails = []
const want = (name, ok, got) => { console.log(ok ? 'ok  ' : 'FAIL', name, ok ? '' : got instanceof Error ? got.stack : JSON.stringify(got)); if (!ok) fails.push(name) }

// A canceled call ends. Its task ends only if the call has set cancel_task.
for (const cancelTask of [true, false]) {
  const client = new OldClient(clientInfo), errors = []
  client.onerror = error => errors.push(error.message)
  await client.connect(new OldTransport(url, { requestInit: { headers } }))
  const { structuredContent: task } = await client.callTool({ name: 'delegate_to_bot', arguments: { agent: 'sasha', task: 'wait never', wait_seconds: 0 } })
  const canceled = new AbortController(), heard = []
  const call = client.callTool({ name: 'await_task', arguments: { task_id: task.task_id, cancel_task: cancelTask } }, undefined, { signal: canceled.signal, onprogress: p => { heard.push(p.message); canceled.abort() } })
  setTimeout(() => canceled.abort(), 10000)
  const name = cancelTask ? 'canceled call with cancel_task' : 'canceled call'
  const outcome = await call.then(() => 'answered', () => 'canceled')
  const state = async () => (await client.callTool({ name: 'get_task', arguments: { task_id: task.task_id } })).structuredContent.state
  let after = await state()
  for (let tries = 0; cancelTask && after === 'working' && tries < 50; tries++) {
    await new Promise(resolve => setTimeout(resolve, 100))
    after = await state()
  }
  want(name, outcome === 'canceled' && after === (cancelTask ? 'canceled' : 'working'), [outcome, after])
  await client.callTool({ name: 'cancel_task', arguments: { task_id: task.task_id } })
  await state() // what still waited has answered by now
  want(name + ': progress before it', heard[0]?.startsWith('sasha: '), heard)
  want(name + ': no answer after it', errors.length === 0, errors)
  await client.close()
}

// The client of the tasks extension sends its own requests in this version.
const framing = { protocolVersion: '2026-07-28', clientInfo, clientCapabilities: {} }
let lastID = 0
const rawDispatch = async (request, { signal } = {}) => {
  const { name, taskId } = request.params
  const response = await fetch(url, { method: 'POST', signal, body: JSON.stringify({ jsonrpc: '2.0', id: ++lastID, ...request }), headers: {
    ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream',
    'mcp-protocol-version': framing.protocolVersion, 'mcp-method': request.method, 'mcp-name': name ?? taskId } })
  const { result, error } = JSON.parse((await response.text()).replace(/^[^{]*data: /, ''))
  return error ? { kind: 'error', error } : { kind: 'result', result }
}
const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: framing.protocolVersion } } })
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
const session = createTaskSessionFromClient(client, { endpointId: 'errand', rawDispatch, v2RequestFraming: framing })
const { outcome } = await (await session.callTool('delegate_to_bot', { agent: 'sasha', task: 'wait 2s' })).settle()
want('tasks extension', outcome.status === 'completed' && !!outcome.task && outcome.result.structuredContent.state === 'completed', [outcome, outcome.error?.message])
await session.close()
process.exit(fails.length ? 1 : 0)
