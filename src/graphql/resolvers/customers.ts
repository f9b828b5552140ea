import { type DocumentType, fullName, identityStatus, identityStatusOf } from '../../domain/customers/person.ts'
import { maskedName } from '../../domain/payouts/payout-report.ts'
import { seal } from '../../keys/derived-secrets.ts'
import { tidied } from '../../lib/text.ts'
import type { SitedContact } from '../../lookups/find-customers.ts'
import { maskedAlias } from '../../upstream/wire/values/readers.ts'
import { listByDays, nodeIdOf } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import { failedRead, badArgument } from '../error-formatter.ts'
import type { PaymentIdentityDocumentType } from '../generated.ts'
import { countedPage, type AreaResolvers } from '../models.ts'
import { demandScopes, keyHolder } from '../rights/rights.ts'
import {
  documentRequest,
  personRequest,
  partyType,
  shownIdentityStatus,
  customerSuccess,
  failureResult,
} from '../views/views.ts'

export const customersResolvers = {
  Query: {
    paymentCustomer: async (_root, { id, site }, { operations }) => {
      const outcome = await operations.customer({ id, site: site ?? null })
      if (outcome.kind === 'done') return outcome.found
      if (outcome.kind === 'not-found') return null
      throw failedRead(outcome)
    },
    paymentCustomers: (_root, args, context) =>
      listByDays(args, context, async (page) => {
        const list = await context.operations.customers({ ...page, currency: args.currency ?? null })
        if (list.kind !== 'done') throw failedRead(list)
        return list.page
      }),
    paymentContact: async (_root, { email, currency, site }, { operations }) => {
      const outcome = await operations.contact({ email: tidied(email), currency: currency ?? null, site: site ?? null })
      if (outcome === null)
        throw badArgument(site == null ? 'currency' : 'site', 'must be served by configured credentials')
      if (outcome.kind === 'done') return outcome.found
      if (outcome.kind === 'not-found') return null
      throw failedRead(outcome)
    },
    paymentContacts: (_root, args, context) =>
      listByDays(args, context, async (page) => {
        const list = await context.operations.contacts({ ...page, currency: args.currency ?? null })
        if (list.kind !== 'done') throw failedRead(list)
        return list.page
      }),
  },
  Mutation: {
    createPaymentCustomer: async (_root, { input }, { operations, caller }) => {
      const request = { ...input, person: personRequest(input.person), document: documentRequest(input.document) }
      const outcome = await operations.createCustomer(request, keyHolder(caller))
      return outcome.kind === 'done' ? customerSuccess(outcome) : failureResult(outcome)
    },
    updatePaymentCustomer: async (_root, { input }, { operations, caller }) => {
      const request = { ...input, person: personRequest(input.person), document: documentRequest(input.document) }
      const outcome = await operations.updateCustomer(request, keyHolder(caller))
      return outcome.kind === 'done' ? customerSuccess(outcome) : failureResult(outcome)
    },
    createPaymentContact: async (_root, { input }, { operations, caller }) => {
      const request = { ...input, person: personRequest(input.person) }
      const outcome = await operations.createContact(request, keyHolder(caller))
      if (outcome.kind !== 'done') return failureResult(outcome)
      return { __typename: 'PaymentContactSuccess', contact: outcome.result, replayed: outcome.replayed }
    },
    requestIdentityCheck: async (_root, { input }, { operations }) => {
      const documentType = input.documentType.toLowerCase() as DocumentType
      const outcome = await operations.requestIdentityUpload({ ...input, documentType })
      if (outcome.kind !== 'done') return failureResult(outcome)
      const { contact, uploadUrl, expiresAt } = outcome
      return { __typename: 'PaymentIdentityUpload', contact, uploadUrl, expiresAt }
    },
  },
  PaymentCustomerConnection: countedPage,
  PaymentContactConnection: countedPage,
  PaymentCustomer: {
    nodeId: ({ id }) => nodeIdOf('PaymentCustomer', id),
    nameMasked: ({ personal }) => maskedName(fullName(personal)),
    emailMasked: ({ personal }) => maskedAlias(personal.email),
    type: ({ type }) => partyType(type),
    __resolveReference({ id }, { caller, loaders }) {
      demandScopes(caller, 'PaymentCustomer', [['customers:read']])
      return loaders.customerById.load(id)
    },
  },
  PaymentContact: {
    id: contactId,
    nodeId: (contact, args, context) => nodeIdOf('PaymentContact', contactId(contact, args, context)),
    nameMasked: ({ personal }) => maskedName(fullName(personal)),
    emailMasked: ({ email }) => maskedAlias(email),
    type: ({ type }) => partyType(type),
    identityStatus: (contact) => shownIdentityStatus(identityStatus(contact)),
    identityResults: ({ identity }) => [...identity],
    __resolveReference({ id }, { caller, loaders }) {
      demandScopes(caller, 'PaymentContact', [['customers:read']])
      return loaders.contactById.load(id)
    },
  },
  PaymentPersonalDetails: {
    genderRaw: ({ gender }) => gender,
  },
  PaymentIdentityDocument: {
    type: ({ type }) => (type === null ? 'UNRECOGNISED' : (type.toUpperCase() as PaymentIdentityDocumentType)),
  },
  PaymentIdentityResult: {
    status: (result) => shownIdentityStatus(identityStatusOf(result)),
  },
} satisfies AreaResolvers

function contactId(
  { site, email }: SitedContact,
  _args: unknown,
  { contactKeys }: Pick<Context, 'contactKeys'>,
): string {
  return seal(contactKeys, 'contact', [site, email])
}
