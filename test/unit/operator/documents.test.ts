import { readFileSync } from 'node:fs'
import { Kind, parse, validate, valueFromASTUntyped } from 'graphql'
import { expect, it } from 'vitest'
import { createSchema } from '../../../src/graphql/schema/schema.ts'
import {
  BODY_SCOPE,
  BULK_REPLAY,
  BULK_REPLAY_STATE,
  CANCEL_REPLAY,
  DELIVERIES,
  DELIVERY,
  ERASABLE,
  ERASE,
  ERASURES,
  KEYS,
  manifest,
  REPLAY,
} from '../../../src/operator/documents.ts'

/** Returns the scopes that the schema requires for a field; null if it requires none. */
function scopesAt(typeName: string, fieldName: string): unknown {
  const { definitions } = parse(readFileSync('schema.graphql', 'utf8'))
  const type = definitions.find(
    (definition) => definition.kind === Kind.OBJECT_TYPE_DEFINITION && definition.name.value === typeName,
  )
  const fields = type?.kind === Kind.OBJECT_TYPE_DEFINITION ? type.fields : undefined
  const field = fields?.find(({ name }) => name.value === fieldName)
  const argument = field?.directives?.find(({ name }) => name.value === 'requiresScopes')?.arguments?.[0]
  return argument === undefined ? null : valueFromASTUntyped(argument.value)
}

it('the documents ask for what the schema has', () => {
  const schema = createSchema({ production: false })
  const documents = Object.values(manifest())
  expect(documents).toHaveLength(17)
  for (const text of documents) expect(validate(schema, parse(text))).toEqual([])
})

it('the scopes that are named are those that the schema asks for', () => {
  expect(scopesAt('Query', 'webhookDeliveries')).toEqual([DELIVERIES.scopes])
  expect(scopesAt('Query', 'webhookDelivery')).toEqual([DELIVERY.scopes])
  expect(scopesAt('Mutation', 'replayWebhookDelivery')).toEqual([REPLAY.scopes])
  expect(scopesAt('Mutation', 'replayWebhookDeliveries')).toEqual([BULK_REPLAY.scopes])
  expect(scopesAt('Query', 'webhookReplay')).toEqual([BULK_REPLAY_STATE.scopes])
  expect(scopesAt('Mutation', 'cancelWebhookReplay')).toEqual([CANCEL_REPLAY.scopes])
  expect(scopesAt('PaymentWebhookDelivery', 'body')).toEqual([[BODY_SCOPE]])
  expect(scopesAt('Mutation', 'erasePayer')).toEqual([ERASE.scopes])
  expect(scopesAt('Query', 'erasablePayers')).toEqual([ERASABLE.scopes])
  expect(scopesAt('Query', 'payerErasures')).toEqual([ERASURES.scopes])
  expect(scopesAt('Query', 'signingKeys')).toEqual([KEYS.scopes])
})
