import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  parseForm,
  readIdentityForm,
  readContact,
  readCustomer,
  beginCheck,
  contactRecord,
  contactKey,
  type SandboxCustomer,
} from '../customers/sandbox-customer.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { problemText } from '../values/request-fields.ts'
import { callersSite } from './api.ts'
import {
  rawBody,
  readJsonObject,
  sendBadQuery,
  sendBadRequest,
  sendJson,
  sendProblem,
  sendProblems,
} from './json-answers.ts'
import { readListQuery } from './queries.ts'

/** Customers and contacts: create, detail and list (gap sheet, sections 22 and 23); the update of a customer is assumed. */
export function v2Customers(api: FastifyInstance, store: SandboxStore): void {
  const queryOf = (request: FastifyRequest) => new URL(request.url, store.origin).searchParams
  const customerOf = (request: FastifyRequest, uuid: unknown) => {
    const customer = typeof uuid === 'string' ? store.customers.get(uuid) : undefined
    return customer?.siteId === callersSite(request).id ? customer : undefined
  }
  const sendList = <Entry extends Listed>(
    request: FastifyRequest,
    reply: FastifyReply,
    all: Iterable<Entry>,
    show: (entry: Entry) => object,
  ) => {
    const query = readListQuery(queryOf(request))
    if ('problem' in query) return sendBadQuery(reply, query.problem)
    const { page, perPage, filter } = query
    const siteId = callersSite(request).id
    const found = [...all].filter((entry) => entry.siteId === siteId && isWithin(entry, filter)).reverse()
    return sendJson(reply, 200, {
      total: found.length,
      total_page: Math.ceil(found.length / perPage),
      page,
      per_page: perPage,
      records: found.slice((page - 1) * perPage, page * perPage).map((entry) => show(entry)),
    })
  }

  api.post('/v2/customers', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const read = readCustomer(body)
    if ('problems' in read) return sendProblems(reply, read.problems)
    const uuid = `customer_${randomBytes(8).toString('hex')}`
    const customer = { uuid, siteId: callersSite(request).id, createdAt: store.clock.now(), ...read }
    store.customers.set(uuid, customer)
    return sendJson(reply, 200, { uuid, email: read.person['email'] })
  })

  api.post('/v2/customers/update', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const customer = customerOf(request, body['uuid'])
    if (customer === undefined) return sendProblems(reply, { uuid: 'does not exist' })
    const read = readCustomer(body)
    if ('problems' in read) return sendProblems(reply, read.problems)
    Object.assign(customer, read)
    return sendJson(reply, 200, { uuid: customer.uuid, email: read.person['email'] })
  })

  api.get('/v2/customers/detail', async (request, reply) => {
    const customer = customerOf(request, queryOf(request).get('uuid'))
    return customer === undefined ? sendBadRequest(reply) : sendJson(reply, 200, customerRecord(customer))
  })

  api.get('/v2/customers/', async (request, reply) =>
    sendList(request, reply, store.customers.values(), customerRecord),
  )

  api.post('/v2/contacts', async (request, reply) => {
    const body = readJsonObject(request)
    if (body === undefined) return sendBadRequest(reply)
    const read = readContact(body)
    if ('problems' in read) return sendProblems(reply, read.problems)
    const email = read.person['email'] ?? ''
    const siteId = callersSite(request).id
    const key = contactKey(siteId, email)
    if (store.contacts.has(key)) return sendProblems(reply, { email: 'has already been taken' })
    store.contacts.set(key, { siteId, email, createdAt: store.clock.now(), ...read, ...unchecked() })
    return sendJson(reply, 200, { email })
  })

  api.post('/v2/contacts/submit_kyc', { bodyLimit: LARGEST_FORM }, async (request, reply) => {
    const form = await parseForm(request.headers, rawBody(request))
    if (form === undefined) return sendBadRequest(reply)
    const read = readIdentityForm(form)
    if ('problems' in read) return sendProblem(reply, problemText(read.problems))
    const contact = store.contacts.get(contactKey(callersSite(request).id, read.email))
    if (contact === undefined) return sendProblem(reply, 'email does not exist')
    contact.identity = read.identity
    contact.target = read.target
    beginCheck(store, contact)
    return sendJson(reply, 200, { status: 'Ok' })
  })

  api.get('/v2/contacts/detail', async (request, reply) => {
    const email = queryOf(request).get('email')
    if (email === null || email === '') return sendBadQuery(reply, 'email is missing')
    const contact = store.contacts.get(contactKey(callersSite(request).id, email))
    return contact === undefined
      ? sendBadQuery(reply, 'there is no such contact')
      : sendJson(reply, 200, contactRecord(contact))
  })

  api.get('/v2/contacts/', async (request, reply) => sendList(request, reply, store.contacts.values(), contactRecord))
}

/** Bytes of a form with three pictures. */
const LARGEST_FORM = 32 * 1024 * 1024

/** A contact of which no document was handed in. */
const unchecked = () => ({ identity: null, results: [], target: undefined, step: undefined })

type Listed = { readonly siteId: string; readonly createdAt: Date }

function isWithin({ createdAt }: Listed, { from, to }: { readonly from?: Date; readonly to?: Date }): boolean {
  return (from === undefined || createdAt >= from) && (to === undefined || createdAt <= to)
}

function customerRecord({ uuid, person, identity }: SandboxCustomer): object {
  return { uuid, ...person, identity }
}
