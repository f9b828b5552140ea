import { randomBytes } from 'node:crypto'
import {
  parseForm,
  readIdentityForm,
  readContact,
  readCustomer,
  beginCheck,
  contactRecord,
  contactKey,
} from '../customers/sandbox-customer.ts'
import { badQuery, badRequest, json, unprocessable } from '../http/answers.ts'
import type { Call } from '../http/server.ts'
import type { SandboxCustomer } from '../state/customer.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { problemText } from '../values/request-fields.ts'
import { type ApiRoutes, callersSite } from './api.ts'
import { readListQuery } from './queries.ts'

/** Customers and contacts: create, detail and list (gap sheet, sections 22 and 23); the update of a customer is assumed. */
export function v2Customers(api: ApiRoutes, store: SandboxStore): void {
  const customerOf = (call: Call, uuid: unknown) => {
    const customer = typeof uuid === 'string' ? store.customers.get(uuid) : undefined
    return customer?.siteId === callersSite(call).id ? customer : undefined
  }
  const sendList = <Entry extends Listed>(call: Call, all: Iterable<Entry>, show: (entry: Entry) => object) => {
    const query = readListQuery(call.query)
    if ('problem' in query) return badQuery(query.problem)
    const { page, perPage, filter } = query
    const siteId = callersSite(call).id
    const found = [...all].filter((entry) => entry.siteId === siteId && isWithin(entry, filter)).reverse()
    return json(200, {
      total: found.length,
      total_page: Math.ceil(found.length / perPage),
      page,
      per_page: perPage,
      records: found.slice((page - 1) * perPage, page * perPage).map((entry) => show(entry)),
    })
  }

  api.postJson('/v2/customers', (body, call) => {
    const read = readCustomer(body)
    if ('problems' in read) return unprocessable(read.problems)
    const uuid = `customer_${randomBytes(8).toString('hex')}`
    const customer = { uuid, siteId: callersSite(call).id, createdAt: store.clock.now(), ...read }
    store.customers.set(uuid, customer)
    return json(200, { uuid, email: read.person['email'] })
  })

  api.postJson('/v2/customers/update', (body, call) => {
    const customer = customerOf(call, body['uuid'])
    if (customer === undefined) return unprocessable({ uuid: 'does not exist' })
    const read = readCustomer(body)
    if ('problems' in read) return unprocessable(read.problems)
    Object.assign(customer, read)
    return json(200, { uuid: customer.uuid, email: read.person['email'] })
  })

  api.get('/v2/customers/detail', (call) => {
    const customer = customerOf(call, call.query.get('uuid'))
    return customer === undefined ? badRequest() : json(200, customerRecord(customer))
  })

  api.get('/v2/customers/', (call) => sendList(call, store.customers.values(), customerRecord))

  api.postJson('/v2/contacts', (body, call) => {
    const read = readContact(body)
    if ('problems' in read) return unprocessable(read.problems)
    const email = read.person['email'] ?? ''
    const siteId = callersSite(call).id
    const key = contactKey(siteId, email)
    if (store.contacts.has(key)) return unprocessable({ email: 'has already been taken' })
    store.contacts.set(key, { siteId, email, createdAt: store.clock.now(), ...read, ...unchecked() })
    return json(200, { email })
  })

  api.post(
    '/v2/contacts/submit_kyc',
    async (call) => {
      const form = await parseForm(call.request.headers, call.body)
      if (form === undefined) return badRequest()
      const read = readIdentityForm(form)
      if ('problems' in read) return unprocessable(problemText(read.problems))
      const contact = store.contacts.get(contactKey(callersSite(call).id, read.email))
      if (contact === undefined) return unprocessable('email does not exist')
      contact.identity = read.identity
      contact.target = read.target
      beginCheck(store, contact)
      return json(200, { status: 'Ok' })
    },
    LARGEST_FORM,
  )

  api.get('/v2/contacts/detail', (call) => {
    const email = call.query.get('email')
    if (email === null || email === '') return badQuery('email is missing')
    const contact = store.contacts.get(contactKey(callersSite(call).id, email))
    return contact === undefined ? badQuery('there is no such contact') : json(200, contactRecord(contact))
  })

  api.get('/v2/contacts/', (call) => sendList(call, store.contacts.values(), contactRecord))
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
