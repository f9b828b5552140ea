/**
 * For a release: stores the schema as the released one, against which later changes are compared, and removes the approvals.
 * Exits with 1, and changes nothing, when the schema breaks the released one or has a dangerous change that is not approved.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { compareApprovals, schemaChanges, type Approval } from './schema-changes.ts'

const CURRENT = 'schema.graphql'
const RELEASED = 'schema.released.graphql'
const APPROVALS = 'schema.approvals.json'

const { breaking, dangerous } = await schemaChanges(readFileSync(RELEASED, 'utf8'), readFileSync(CURRENT, 'utf8'))
const { unapproved } = compareApprovals(dangerous, JSON.parse(readFileSync(APPROVALS, 'utf8')) as Approval[])
for (const { message } of breaking) console.error(`breaking: ${message}`)
for (const { type, path, message } of unapproved) console.error(`dangerous, not approved: ${message} (${type} ${path})`)
if (breaking.length + unapproved.length > 0) process.exit(1)

copyFileSync(CURRENT, RELEASED)
writeFileSync(APPROVALS, '[]\n')
console.log(`${RELEASED} is ${CURRENT} now; ${dangerous.length} approved changes are forgotten.`)
