import { randomUUID } from 'node:crypto'
import { getNamedType, GraphQLID, isInputObjectType, isListType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NODE_FIELDS, nodeIdOf, type NodeType } from '../../src/graphql/arguments/arguments.ts'
import { casesOf } from '../faults/rounds.ts'
import { createLink } from '../support/operations.ts'
import type { Ask } from './asks.ts'
import { CALLERS, throughRouter } from './callers.ts'
import type { GraphqlAnswer } from './cells.ts'
import { startWorld, type Fixture } from './fixture.ts'
import { operationFor, withLines } from './matrix.ts'
import { refusalOfEntity } from './rules.ts'
import { schema } from './selection.ts'
import { STREAM_TRANSPORTS, TRANSPORTS } from './transports.ts'

/** IDs that do not name an object with restricted access. */
const NO_SUBJECT = new Set(['code', 'methodCode', 'idempotencyKey', 'streamNonce', 'ownerId', 'site'])

const NODE_TYPES = Object.keys(NODE_FIELDS) as NodeType[]

/** A place where a root field takes an id: an argument, or a field of its input; with the type that a nodeId names. */
type Slot = { readonly coordinate: string; readonly path: readonly string[]; readonly node?: NodeType }

let fixture: Fixture
/** A link of the caller `stranger`, and its status token. */
let own: { readonly id: string; readonly statusToken: string }
beforeAll(async () => {
  fixture = await startWorld()
  own = await createLink(fixture.network, { ownerId: 'stranger' })
})
afterAll(() => fixture.network.close())

/** Callers that may read something, but none of the objects they request. */
const PAYERS = CALLERS.filter(({ name }) => ['nobody', 'stranger', 'status token', 'router'].includes(name))

// promise(authorization): To a payer, a forbidden object looks like one that does not exist.
describe('what belongs to somebody else', () => {
  it.each(TRANSPORTS)('looks over $name as if it did not exist, whatever its id is tried on', async (transport) => {
    const all = slots().filter(({ coordinate }) => !coordinate.startsWith('Subscription.'))
    expect(all.length).toBeGreaterThan(25)
    // All over the first transport. Over the others, which execute operations in the same way, a third of them except in a full run.
    const asked = transport === TRANSPORTS[0] ? all : casesOf(`what is asked over ${transport.name}`, all, 11)
    await withLines(fixture, { transport, callers: PAYERS }, async (lines) => {
      for (const [caller, line] of lines)
        for (const slot of asked) {
          const { absent, others } = await tried(slot, (ask) => line.ask(operationFor(ask, caller)))
          expect({ caller, slot, answers: others }).toEqual({ caller, slot, answers: others.map(() => absent) })
        }
    })
  })

  it.each(STREAM_TRANSPORTS)(
    'cannot be told from what does not exist by following it over $name',
    async (transport) => {
      const asked = slots().filter(({ coordinate }) => coordinate.startsWith('Subscription.'))
      await withLines(fixture, { transport, callers: PAYERS }, async (lines) => {
        for (const [caller, line] of lines)
          for (const slot of asked)
            for (const after of [undefined, ...Object.values(fixture.cursors)]) {
              const { absent, others } = await tried(slot, (ask) => line.ask(operationFor(ask, caller)), after)
              expect(absent.data).toBeNull()
              expect({ caller, slot, answers: others }).toEqual({ caller, slot, answers: others.map(() => absent) })
            }
      })
    },
  )

  it.each(TRANSPORTS)(
    'is no entity over $name, by whatever key, and is refused as what does not exist',
    async (transport) => {
      const open = new Set(['PaymentCurrency', 'PayinMethod', 'PaymentOwner'])
      const kinds = schema.getType('_Entity')
      const members = kinds === undefined || !('getTypes' in kinds) ? [] : kinds.getTypes().map(({ name }) => name)
      const guarded = members.filter((name) => !open.has(name))
      expect(guarded.length).toBeGreaterThan(4)
      const callers = PAYERS.map(throughRouter)
      await withLines(fixture, { transport, callers }, async (lines) => {
        for (const [caller, line] of lines)
          for (const member of guarded)
            for (const key of keysOf(member)) {
              const ids = [...everyId(), randomUUID()]
              const representations = ids.map((id) => ({
                __typename: member,
                payoutId: fixture.ids.payouts[0],
                [key]: id,
              }))
              const ask: Ask = { coordinate: 'Query._entities', variables: { representations }, depth: 0, member }
              const { data, errors } = await line.ask(operationFor(ask, caller))
              const code = refusalOfEntity(caller, member)
              const refusals = code === null ? [] : ids.map((_id, index) => ({ path: ['_entities', index], code }))
              const told = errors.map(({ path, extensions }) => ({ path, code: extensions?.['code'] }))
              expect({ caller, member, data, told }).toEqual({
                caller,
                member,
                data: { _entities: ids.map(() => null) },
                told: refusals,
              })
            }
      })
    },
  )
})

/** Returns the answers for an id of every kind of object, and for an unknown one. */
async function tried(slot: Slot, ask: (ask: Ask) => Promise<GraphqlAnswer>, after?: string) {
  const answerTo = (id: string) => ask(askFor(slot, id, after))
  return { absent: await answerTo(randomUUID()), others: await Promise.all(everyId().map(answerTo)) }
}

/** Returns an id of every kind of object: fewer than a socket's limit of concurrent operations. */
function everyId(): string[] {
  const { ids, links, payins, eventIds } = fixture
  const [link] = links
  const [payin] = payins
  const [payout] = ids.payouts
  const { agreement, agreementAtService, clientTransaction } = ids
  const known = [link?.id, link?.paymentId, payin?.id, agreement, agreementAtService, clientTransaction, payout]
  const recorded = [ids.deliveries.applied, ids.deliveries.ofAgreement, eventIds.ofLink, eventIds.ofAgreement]
  const refunds = links.map(({ paymentId }) => `${paymentId}-1`)
  const parts = [ids.customer, ids.contactId, ids.payoutTransaction]
  return [...known, ...recorded, ...refunds, ...parts, ids.import].filter((id) => id !== undefined && id !== null)
}

/** Returns an operation with the status token of another object, where the field takes one, and valid values for other arguments. */
function askFor({ coordinate, path, node }: Slot, id: string, after?: string): Ask {
  const [argument = '', field] = path
  const [, name] = coordinate.split('.')
  const template = fixture.inputs.find(([mutation]) => mutation === name)?.[1]['input']
  const given = node === undefined ? id : nodeIdOf(node, id)
  const value = field === undefined ? given : { ...(template as object), [field]: id }
  const variables = { [argument]: value, ...(after === undefined ? {} : { after }) }
  const takesToken = /\.(?:payment|paymentLink|paymentsNode|paymentUpdates|paymentLinkUpdates)$/.test(coordinate)
  return { coordinate, variables, depth: 2, ...(takesToken ? { statusToken: own.statusToken } : {}) }
}

/** Returns every place of the schema where an operation takes the id of an object with restricted access. */
function slots(): Slot[] {
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root) =>
    Object.values(root?.getFields() ?? {}).flatMap((field) =>
      field.args.flatMap((argument): Slot[] => {
        const coordinate = `${root?.name}.${field.name}`
        const type = getNamedType(argument.type)
        if (isListType(argument.type)) return []
        if (argument.name === 'nodeId') return NODE_TYPES.map((node) => ({ coordinate, path: [argument.name], node }))
        if (type === GraphQLID) return NO_SUBJECT.has(argument.name) ? [] : [{ coordinate, path: [argument.name] }]
        if (!isInputObjectType(type) || argument.name !== 'input') return []
        return Object.values(type.getFields())
          .filter(({ name, type: given }) => getNamedType(given) === GraphQLID && !NO_SUBJECT.has(name))
          .map(({ name }) => ({ coordinate, path: [argument.name, name] }))
      }),
    ),
  )
}

function keysOf(typeName: string): string[] {
  const type = schema.getType(typeName)
  const fields = isObjectType(type) ? Object.keys(type.getFields()) : []
  return ['id', 'code', 'clientTransactionId'].filter((name) => fields.includes(name))
}
