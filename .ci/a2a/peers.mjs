// Agents made with the server part of the protocol's own SDK, of each version one that is asked
// and one with streams, that do what the first word of a task says. It prints
// where they are and what is done with them. A line of its standard input has those go on that
// wait for one; it ends with that input.
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import * as a2a03 from 'a2a03/server'
import * as a2a10 from 'a2a10/server'
import { AgentCard, Role, TaskState } from 'a2a10'

const now = () => new Date().toISOString()

// How one version says what an agent tells, and what it is made of.
const versions = {
  '1.0': {
    sdk: a2a10,
    textOf: m => m.parts.map(p => p.content.value).join(''),
    task: (of, history) => a2a10.AgentEvent.task({ ...of, status: { state: TaskState.TASK_STATE_SUBMITTED, timestamp: now() }, artifacts: [], history }),
    status: ({ id, contextId }, state, text) => a2a10.AgentEvent.statusUpdate({ taskId: id, contextId, status: {
      state: TaskState['TASK_STATE_' + state.toUpperCase().replace('-', '_')], timestamp: now(),
      message: text && { messageId: crypto.randomUUID(), taskId: id, contextId, role: Role.ROLE_AGENT, parts: [part(text)], extensions: [], referenceTaskIds: [] } } }),
    artifact: ({ id, contextId }, text) => a2a10.AgentEvent.artifactUpdate({ taskId: id, contextId, append: false, lastChunk: true,
      artifact: { artifactId: 'result', name: 'result', description: '', parts: [part(text), plan10], extensions: [] } }),
    card: url => ({ supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }], securitySchemes: {}, securityRequirements: [], signatures: [] }),
    cardText: AgentCard.toJSON,
    context: headers => new a2a10.ServerCallContext({ requestedVersion: headers['a2a-version'], user: new a2a10.UnauthenticatedUser() }),
  },
  0.3: {
    sdk: a2a03,
    textOf: m => m.parts.map(p => p.text).join(''),
    task: (of, history) => ({ kind: 'task', ...of, status: { state: 'submitted', timestamp: now() }, history }),
    status: ({ id, contextId }, state, text) => ({ kind: 'status-update', taskId: id, contextId, final: state !== 'working', status: { state, timestamp: now(),
      message: text && { kind: 'message', messageId: crypto.randomUUID(), taskId: id, contextId, role: 'agent', parts: [{ kind: 'text', text }] } } }),
    artifact: ({ id, contextId }, text) => ({ kind: 'artifact-update', taskId: id, contextId, artifact: { artifactId: 'result', name: 'result', parts: [{ kind: 'text', text }, plan03] } }),
    card: url => ({ url, protocolVersion: '0.3.0', preferredTransport: 'JSONRPC' }),
    cardText: card => card,
    context: () => new a2a03.ServerCallContext(undefined, new a2a03.UnauthenticatedUser()),
  },
}

// The file of a result, under a name that is none.
const plan = Buffer.from('Depart 22:10.'), named = '../../plan.txt'
const plan10 = { content: { $case: 'raw', value: plan }, mediaType: 'image/png', filename: named }
const plan03 = { kind: 'file', file: { name: named, mimeType: 'image/png', bytes: plan.toString('base64') } }

// What waits for a line.
let waitingForLine = []
createInterface({ input: process.stdin }).on('line', () => {
  waitingForLine.forEach(go => go())
  waitingForLine = []
}).on('close', () => process.exit())

function part(text) {
  return { content: { $case: 'text', value: text }, mediaType: 'text/plain', filename: '' }
}

// The work of an agent: each word is a state in which errand finds it.
function executor(v, name) {
  const waiting = new Map()
  return {
    async execute(request, bus) {
      const of = { id: request.taskId, contextId: request.contextId }, text = v.textOf(request.userMessage)
      const tell = (state, said) => bus.publish(v.status(of, state, said))
      bus.publish(request.task && v.sdk === a2a10 ? a2a10.AgentEvent.task(request.task) : v.task(of, [request.userMessage]))
      tell('working')
      if (request.task) {
        bus.publish(v.artifact(of, 'It is on ' + text + '.'))
        tell('completed')
      } else if (text.includes('ASK')) {
        tell('input-required', 'Which day?')
      } else if (text.includes('FAIL')) {
        tell('failed', 'There is no train.')
      } else if (text.includes('WAIT')) {
        await new Promise(resolve => waiting.set(of.id, () => { tell('canceled'); resolve() }))
      } else {
        if (text.includes('LATE')) {
          await new Promise(resolve => waitingForLine.push(resolve))
        } else {
          await new Promise(resolve => setTimeout(resolve, 1500)) // errand looks in between
        }
        bus.publish(v.artifact(of, 'By night train.'))
        tell('completed')
      }
      bus.finished()
    },
    async cancelTask(id) {
      if (!waiting.has(id)) throw new Error('it is not to be canceled')
      console.log('canceled ' + name)
      waiting.get(id)()
    },
  }
}

const agents = {}
const server = createServer(async (request, response) => {
  const [, name, what] = request.url.split('/'), agent = agents[name]
  response.setHeader('content-type', 'application/json')
  if (what === 'card') return response.end(JSON.stringify(agent.card))
  let body = ''
  for await (const piece of request) body += piece
  const answer = await agent.rpc.handle(JSON.parse(body), agent.v.context(request.headers))
  if (!answer[Symbol.asyncIterator]) return response.end(JSON.stringify(answer))
  console.log('followed ' + name)
  response.setHeader('content-type', 'text/event-stream')
  response.flushHeaders()
  try {
    for await (const event of answer) response.write('data: ' + JSON.stringify(event) + '\n\n')
  } catch (error) {
    console.error(error.message) // as of a task that has ended
  }
  response.end()
})
server.listen(0, '127.0.0.1', () => {
  const url = 'http://127.0.0.1:' + server.address().port
  for (const [version, v] of Object.entries(versions)) {
    for (const can of ['', '-stream']) {
      const name = version + can
      const card = { name: 'Oracle', description: 'Knows trains.', version: '1', capabilities: { streaming: can === '-stream', pushNotifications: false, extensions: [] },
        defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [{ id: 'trains', name: 'Trains', description: 'Finds them.', tags: ['trains'], examples: [], inputModes: [], outputModes: [], securityRequirements: [] }], ...v.card(url + '/' + name + '/rpc') }
      const handler = new v.sdk.DefaultRequestHandler(card, new v.sdk.InMemoryTaskStore(), executor(v, name))
      agents[name] = { v, card: v.cardText(card), rpc: new v.sdk.JsonRpcTransportHandler(handler) }
    }
  }
  console.log(url)
})
