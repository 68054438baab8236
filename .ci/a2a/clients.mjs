import * as a2a from 'a2a10/client'
import { Role, TaskState } from 'a2a10'

const agent = process.env.AGENT_URL, key = process.env.API_KEY
const fails = []
const want = (name, ok, got) => { console.log(ok ? 'ok  ' : 'FAIL', name, ok ? '' : got instanceof Error ? got.stack : JSON.stringify(got)); if (!ok) fails.push(name) }
const fetchImpl = (url, init = {}) => fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), authorization: 'Bearer ' + key } })
const failure = promise => promise.then(got => got, error => error)

const messageOf = (text, of) => ({ messageId: crypto.randomUUID(), role: Role.ROLE_USER, parts: [{ content: { $case: 'text', value: text }, mediaType: '', filename: '' }], ...of })
const stateOf = task => TaskState[task.status.state].replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')
const textOf = part => part.content.value
const eventOf = ({ payload: { $case, value } }) => ({ task: $case === 'task' && value, status: $case === 'statusUpdate' && value, artifact: $case === 'artifactUpdate' && value.artifact })

for (const binding of ['JsonRpc', 'Rest']) {
  const is = (name, ok, got) => want(`${binding}: ${name}`, ok, got)
  const resultOf = ({ artifacts = [] }) => artifacts.filter(a => a.name === 'result').flatMap(a => a.parts).map(textOf).join('')
  try {
    const factory = new a2a.ClientFactory({
      transports: [new a2a[binding + 'TransportFactory']({ fetchImpl })],
      cardResolver: new a2a.DefaultAgentCardResolver({ fetchImpl }),
    })
    const client = await factory.createFromUrl(agent + '/')
    const card = await client.getAgentCard()
    is('card', card.name === 'Sasha' && card.skills.length === 1, card)

    const done = await client.sendMessage({ message: messageOf('blue') })
    is('message', stateOf(done) === 'completed' && resultOf(done).includes('blue'), done)
    const read = await client.getTask({ id: done.id })
    is('task', read.id === done.id && read.contextId === done.contextId && resultOf(read) === resultOf(done) && read.history.length === 1, read)

    const asks = await client.sendMessage({ message: messageOf(process.env.ASKS) })
    is('question', stateOf(asks) === 'input-required' && textOf(asks.status.message.parts[0]) === 'Which day?', asks)
    const answer = messageOf('Monday', { taskId: asks.id, contextId: asks.contextId })
    for (const name of ['answer', 'the same answer']) {
      const answered = await client.sendMessage({ message: answer })
      is(name, stateOf(answered) === 'completed' && resultOf(answered).split('Monday').length === 2, answered)
    }
    const more = await failure(client.sendMessage({ message: messageOf('Tuesday', { taskId: asks.id, contextId: asks.contextId }) }))
    is('no message to what has ended', more instanceof Error && /Unsupported/i.test(more.constructor.name + more.name), more)
    const further = await client.sendMessage({ message: messageOf('green', { contextId: done.contextId }) })
    is('the same context', further.id !== done.id && further.contextId === done.contextId && resultOf(further).includes('green'), further)

    const seen = [], brought = []
    for await (const e of client.sendMessageStream({ message: messageOf('a stream') })) {
      const { task, status, artifact } = eventOf(e)
      if (task || status) seen.push(stateOf(task || status))
      if (task) brought.push(resultOf(task))
      if (artifact) brought.push(resultOf({ artifacts: [artifact] }))
    }
    is('stream', seen.at(-1) === 'completed' && brought.join('').includes('a stream'), [seen, brought])

    const open = await client.sendMessage({ message: messageOf(process.env.ASKS), configuration: { returnImmediately: true } })
    is('task at once', ['submitted', 'working', 'input-required'].includes(stateOf(open)), open)
    const followed = []
    const following = (async () => {
      for await (const e of client.resubscribeTask({ id: open.id })) {
        const { task, status } = eventOf(e)
        if (task || status) followed.push(stateOf(task || status))
        if (followed.length === 1) await client.cancelTask({ id: open.id })
      }
    })()
    await following
    is('subscription and cancel', followed.length > 1 && followed.at(-1) === 'canceled', followed)

    const gone = await failure(client.getTask({ id: 't-none' }))
    is('no such task', gone instanceof Error && /TaskNotFound/i.test(gone.constructor.name + gone.name), gone)
    const ended = await failure(client.cancelTask({ id: done.id }))
    is('no cancel of what has ended', ended instanceof Error && /NotCancelable/i.test(ended.constructor.name + ended.name), ended)
    const listed = []
    for (let pageToken = ''; listed.length < 3;) {
      const page = await client.listTasks({ tenant: '', contextId: done.contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageSize: 1, pageToken })
      listed.push(...page.tasks.map(task => task.id))
      pageToken = page.nextPageToken
      if (!pageToken) break
    }
    is('list, by pages', listed.join() === further.id + ',' + done.id, listed)
    const negative = await failure(client.listTasks({ tenant: '', contextId: done.contextId, status: TaskState.TASK_STATE_UNSPECIFIED, historyLength: -5, pageToken: '' }))
    is('no negative history', negative instanceof Error && /historyLength/.test(negative.message), negative)
  } catch (error) {
    is('no error', false, error)
  }
}
process.exit(fails.length ? 1 : 0)
