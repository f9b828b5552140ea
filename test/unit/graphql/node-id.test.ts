import { isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { NODE_FIELDS, nodeIdOf, parseNodeId, type NodeType } from '../../../src/graphql/arguments/arguments.ts'
import { createSchema } from '../../../src/graphql/schema/schema.ts'

const TYPES = Object.keys(NODE_FIELDS) as NodeType[]

describe('a nodeId', () => {
  it.each(TYPES)('contains the type and the id: %s', (type) => {
    for (const id of ['E5SLLFXP', 'a:b', '1', 'ü', 'P1-2'])
      expect(parseNodeId(nodeIdOf(type, id))).toEqual({ type, id })
  })

  it('is another one for each type', () => {
    expect(new Set(TYPES.map((type) => nodeIdOf(type, 'E5SLLFXP'))).size).toBe(TYPES.length)
  })

  it.each([
    ['empty', ''],
    ['an id', 'E5SLLFXP'],
    ['not base64url', '%%%'],
    ['without an id', encoded('Payment:')],
    ['without a type', encoded('E5SLLFXP')],
    ['of a type without nodes', encoded('PaymentEvent:1')],
    ['of a name that every object has', encoded('constructor:1')],
    ['padded', `${encoded('Payment:1')}=`],
    ['in base64', Buffer.from('Payment:\u00ff\u00fe??>').toString('base64')],
    ['with bits at its end that count for nothing', `${encoded('Payment:12').slice(0, -1)}h`],
    ['not UTF-8', Buffer.from([...Buffer.from('Payment:'), 255]).toString('base64url')],
    ['very long', encoded(`Payment:${'x'.repeat(2_000)}`)],
  ])('is refused, naming the argument: %s', (_name, nodeId) => {
    expect(() => parseNodeId(nodeId)).toThrow(
      expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT', argument: 'nodeId' } }),
    )
  })

  it('is there for every type that says so, and each is read by a field of the schema', () => {
    const schema = createSchema({ production: true })
    const types = Object.values(schema.getTypeMap()).filter(isObjectType)
    const nodes = types.filter((type) => type.getInterfaces().some(({ name }) => name === 'PaymentsNode'))
    expect(nodes.map(({ name }) => name).toSorted()).toEqual(TYPES.toSorted())
    const fields = schema.getQueryType()?.getFields() ?? {}
    expect(Object.values(NODE_FIELDS).filter((name) => fields[name] === undefined)).toEqual([])
  })
})

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url')
}
