import type { CodegenConfig } from '@graphql-codegen/cli'

type Output = CodegenConfig['generates'][string]

/** How scalars are written in what is sent and received. */
export const WIRE_SCALARS = {
  DateTime: 'string',
  Decimal: 'string',
  CurrencyCode: 'string',
  LocalDate: 'string',
  HttpsUrl: 'string',
  JSONObject: 'Record<string, unknown>',
  _FieldSet: 'string',
  federation__Policy: 'string',
  federation__Scope: 'string',
  link__Import: 'string',
}

const KIT = 'packages/client/src'
const KIT_DOCUMENTS = `${KIT}/operations/*.graphql`

/** Typed documents of a program that asks, as plain strings, and the manifest with which they are trusted. */
function clientDocuments(documents: string): Output {
  return {
    preset: 'client',
    documents,
    presetConfig: {
      fragmentMasking: false,
      persistedDocuments: { mode: 'embedHashInDocument', hashAlgorithm: 'sha256' },
    },
    config: {
      documentMode: 'string',
      useTypeImports: true,
      enumsAsTypes: true,
      strictScalars: true,
      importExtension: '.ts',
      emitLegacyCommonJSImports: false,
      scalars: WIRE_SCALARS,
    },
  }
}

/**
 * Resolver types from schema.graphql. A resolver's parent is our domain entity, never the wire's JSON and never the
 * GraphQL output type; enums are plain string unions, so that no run-time code is generated.
 */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  generates: {
    // The kit is published: its types import nothing, and what a program does not use is not in its bundle.
    [`${KIT}/generated/documents.ts`]: {
      documents: KIT_DOCUMENTS,
      plugins: ['typescript-operations', './scripts/codegen-documents.ts'],
      config: { useTypeImports: true, enumsAsTypes: true, strictScalars: true, scalars: WIRE_SCALARS },
    },
    [`${KIT}/generated/trusted-documents.json`]: {
      documents: KIT_DOCUMENTS,
      plugins: ['./scripts/codegen-documents.ts'],
    },
    [`${KIT}/generated/cache-types.ts`]: { plugins: ['./scripts/codegen-cache-types.ts'] },
    'packages/pages/src/console/generated/': clientDocuments('packages/pages/src/console/operations/*.graphql'),
    'examples/shop/page/generated/': clientDocuments('examples/shop/page/operations/*.graphql'),
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
          PaymentAmount: '../domain/money/money.ts#Money',
          PaymentCurrency: '../domain/money/money.ts#Currency',
          PayinMethod: '../domain/methods/payin-method.ts#PayinMethod as PayinMethodEntity',
          PayinMethodTraits: '../domain/methods/payin-method.ts#PayinMethod as PayinMethodEntity',
          PaymentLink: '../domain/payments/payment-link.ts#PaymentLink as PaymentLinkEntity',
          Payment: '../domain/payments/payment.ts#Payment as PaymentEntity',
          PaymentSnapshot: '../domain/payments/payment.ts#Payment as PaymentEntity',
          DuplicatePayment: '../domain/payments/payment.ts#DuplicatePayment as DuplicatePaymentEntity',
          PaymentInstructions: '../domain/payments/instructions.ts#Instructions',
          PaymentTransferAccount: '../domain/payments/instructions.ts#Instructions',
          PaymentConnection: './models.ts#CountedPage',
          PaymentLinkConnection: './models.ts#CountedPage',
          PaymentAgreementConnection: './models.ts#CountedPage',
          PayoutConnection: './models.ts#CountedPage',
          GatewayPaymentConnection: './models.ts#CountedPage',
          PaymentCustomerConnection: './models.ts#CountedPage',
          PaymentContactConnection: './models.ts#CountedPage',
          PaymentBalanceMovementConnection: './models.ts#CountedPage',
          PaymentRefund: './models.ts#RefundView',
          PaymentRefundSnapshot: './models.ts#RefundView',
          PaymentEvent: '../domain/events/payment-event.ts#PaymentEvent as PaymentEventEntity',
          PayerErasure: '../store/port.ts#PayerErasure as PayerErasureEntity',
          PaymentImport: '../domain/imports/import-plan.ts#PaymentImport as PaymentImportEntity',
          PaymentImportReport: '../domain/imports/import-report.ts#PartReport',
          PaymentSigningKey: '../retention/signing-keys.ts#PaymentSigningKey as SigningKeyEntity',
          PaymentWebhookDelivery: '../domain/delivery.ts#Delivery',
          PaymentWebhookReplay: '../store/port.ts#DeliveriesReplay',
          PaymentWebhookReplayResult: '../domain/bulk-replay.ts#ReplayResult',
          PaymentNextAction: './models.ts#NextActionView',
          PaymentAgreement: '../domain/agreements/agreement.ts#Agreement',
          PayoutMethod: '../domain/payouts/payout-report.ts#PayoutMethod as PayoutMethodEntity',
          GatewayPayment: '../domain/gateway/gateway-payment.ts#GatewayPayment as GatewayPaymentEntity',
          GatewayPaymentCreation: '../domain/gateway/gateway-payment.ts#UnansweredGatewayCreation',
          PaymentPayout: './views/views.ts#PayoutView',
          PayoutTransaction: './views/views.ts#PayoutTransactionView',
          PaymentCustomer: '../lookups/find-customers.ts#SitedCustomer',
          PaymentContact: '../lookups/find-customers.ts#SitedContact',
          PaymentPersonalDetails: '../domain/customers/person.ts#PersonalDetails as PersonalDetailsEntity',
          PaymentIdentityDocument: '../domain/customers/person.ts#PaymentIdentityDocument as IdentityDocumentEntity',
          PaymentIdentityResult: '../domain/customers/person.ts#PaymentIdentityResult as IdentityResultEntity',
          PaymentAccountBalance: '../lookups/read-accounts.ts#SitedBalances',
          PaymentAccountBalanceFailure: '../lookups/read-accounts.ts#BalanceFailure',
          PaymentBalanceMovement: '../upstream/wire/wire-accounts.ts#PaymentBalanceMovement as BalanceMovementEntity',
          PaymentFailure: './models.ts#FailureView',
          PaymentStreamItem: '../streams/stream-item.ts#StreamItem',
          PaymentStatistics: '../store/port.ts#PaymentStatisticsRow',
          PaymentTimeToPaid: '../domain/statistics/payment-statistics.ts#PaidTimes',
          PaymentsHealth: '../lookups/health.ts#Health',
          PaymentsSiteHealth: '../lookups/health.ts#PaymentsSiteHealth as SiteHealthEntity',
          PaymentsReadBacklog: '../store/port.ts#PaymentsReadBacklog as ReadBacklogEntity',
        },
      },
    },
  },
}

export default config
