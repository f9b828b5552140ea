import type { CodegenConfig } from '@graphql-codegen/cli'

/**
 * Resolver types from schema.graphql. A resolver's parent is our domain entity, never the wire's JSON and never the
 * GraphQL output type; enums are plain string unions, so that no run-time code is generated.
 */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  generates: {
    'src/graphql/generated.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        federation: true,
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        importExtension: '.ts',
        emitLegacyCommonJSImports: false,
        contextType: './context.ts#Context',
        makeResolverTypeCallable: true,
        avoidOptionals: { query: true, mutation: true, subscription: true, defaultValue: true },
        inputMaybeValue: 'T | null | undefined',
        resolverTypeWrapperSignature: 'Promise<T> | T',
        scalars: {
          DateTime: { input: 'Date', output: 'Date | string' },
          Decimal: { input: 'string', output: 'string' },
          CurrencyCode: { input: 'string', output: 'string' },
          LocalDate: { input: 'string', output: 'string' },
          HttpsUrl: { input: 'string', output: 'string' },
          JSONObject: {
            input: 'Record<string, unknown>',
            output: 'Readonly<Record<string, unknown>>',
          },
          _FieldSet: 'string',
          federation__Policy: 'string',
          federation__Scope: 'string',
          link__Import: 'string',
        },
        mappers: {
          PaymentAmount: '../domain/money.ts#Money',
          PaymentCurrency: '../domain/currencies.ts#Currency',
          PayinMethod: '../domain/payin-method.ts#PayinMethod as PayinMethodEntity',
          PaymentLink: './models.ts#LinkView',
          Payment: '../domain/payment.ts#Payment as PaymentEntity',
          PaymentEvent: '../domain/payment-event.ts#PaymentEvent as PaymentEventEntity',
          WebhookDelivery: '../domain/delivery.ts#Delivery',
          PaymentNextAction: './models.ts#NextActionView',
          PaymentAgreement: '../domain/agreement.ts#Agreement',
          PayoutMethod: '../domain/payout.ts#PayoutMethod as PayoutMethodEntity',
          Payout: './payout-view.ts#PayoutView',
          PayoutTransaction: './payout-view.ts#PayoutTransactionView',
          AccountBalance: '../upstream/wire/balances.ts#Balances',
          PaymentFailure: './models.ts#FailureView',
          PaymentStreamItem: '../live/stream-item.ts#StreamItem',
        },
      },
    },
  },
}

export default config
