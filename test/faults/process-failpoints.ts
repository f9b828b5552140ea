/**
 * Loaded before the program: after SIGUSR2 the program fails as FAILPOINT says, with an error that quotes a payer. The program itself has
 * no failpoints; for those inside a module, the module's source text is changed when it is loaded.
 */
import { EventEmitter } from 'node:events'
import { registerHooks } from 'node:module'
import { resolvers } from '../../src/graphql/resolvers/index.ts'
import { CANARY, type Failpoint } from './process-faults.ts'

const point = process.env['FAILPOINT'] as Failpoint
let armed = false

function fail(): void {
  if (!armed) return
  const cause = new Error(CANARY)
  throw Object.assign(new Error(`The payer ${CANARY} could not be told.`, { cause }), { body: CANARY, name: CANARY })
}

Object.assign(globalThis, { failHere: fail })

const AT_ONCE: Partial<Record<Failpoint, () => unknown>> = {
  'a rejection': async () => fail(),
  'a rejection with a text': () => void Promise.reject(CANARY),
  'a timer': () => setTimeout(fail, 1),
  'an event': () => setImmediate(() => new EventEmitter().on('told', fail).emit('told')),
}

/** By failpoint: the module, and the text in it before which the failing call is inserted. */
const INSIDE: Partial<Record<Failpoint, { module: string; text: string }>> = {
  'a listener of the log': { module: 'src/streams/tail.ts', text: 'log.onAppend((events) => {' },
  'the tail of the log': { module: 'src/streams/tail.ts', text: 'recent.append(events)' },
}

const { Query, PaymentStreamItem } = resolvers
if (point === 'a resolver' && Query !== undefined) Object.assign(Query, { paymentCurrencies: fail })
if (point === 'a resolver of an item' && PaymentStreamItem !== undefined)
  Object.assign(PaymentStreamItem, { resyncReason: fail })

const inside = INSIDE[point]
if (inside !== undefined)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(inside.module)) return loaded
      const source = Buffer.from(loaded.source as Uint8Array).toString()
      if (!source.includes(inside.text)) throw new Error(`${inside.module} does not hold ${inside.text} any more.`)
      const changed = source.replaceAll(inside.text, (text) =>
        text.endsWith('{') ? `${text} failHere();` : `failHere(); ${text}`,
      )
      return { ...loaded, source: changed }
    },
  })

process.on('SIGUSR2', () => {
  armed = true
  process.stdout.write('armed\n')
  AT_ONCE[point]?.()
})
