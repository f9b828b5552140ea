import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** The documents that clients may run, by id and by text. */
export type TrustedDocuments = {
  /**
   * Returns the text of the trusted document with this id, or with this text. If both are sent, the texts must be identical.
   * Returns null if the document is not trusted.
   */
  resolve(request: { readonly id: string | null; readonly query: string | null }): string | null
}

/** Relay's persisted documents: an object that maps ids to texts. https://relay.dev/docs/guides/persisted-queries */
const relayManifest = z.record(z.string(), z.string())

/** Apollo's manifest. https://www.apollographql.com/docs/graphos/platform/security/persisted-queries */
const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  operations: z.array(z.object({ id: z.string(), body: z.string() })),
})

/** Reads a manifest in Apollo's or Relay's form. Throws an error that names the setting if the file has neither form. */
export function loadTrustedDocuments(path: string): TrustedDocuments {
  const byId = new Map(readManifest(path))
  const known = new Set([...byId.values()].map(digest))
  return {
    resolve({ id, query }) {
      if (id === null) return query !== null && known.has(digest(query)) ? query : null
      const text = byId.get(id) ?? null
      return query === null || query === text ? text : null
    },
  }
}

function readManifest(path: string): [string, string][] {
  const json: unknown = readJson(path)
  const apollo = apolloManifest.safeParse(json)
  if (apollo.success) return apollo.data.operations.map(({ id, body }) => [id, body])
  const relay = relayManifest.safeParse(json)
  if (relay.success) return Object.entries(relay.data)
  throw new Error('TRUSTED_DOCUMENTS: the file is neither an Apollo manifest nor a Relay one')
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new Error('TRUSTED_DOCUMENTS: the file cannot be read as JSON')
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
