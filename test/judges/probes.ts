/** What a probe needs of an endpoint: its URL, and names of its schema. */
export type Endpoint = {
  /** Ends in `/graphql`. */
  readonly url: string
  /** A harmless query as a client would write it, with at least one field below its root field. */
  readonly query: string
  /** A mutation that would have an effect if it were executed. */
  readonly mutation: string
  /** A query that misspells a name of the schema, and the right name. */
  readonly misspelt: { readonly query: string; readonly name: string }
}

export type Probe = {
  readonly name: string
  /** Returns whether the endpoint has the weakness. */
  readonly finds: (endpoint: Endpoint) => Promise<boolean>
}

type Answer = { readonly status: number; readonly text: string; readonly json: Json }
type Json = { readonly data?: Record<string, unknown> | null; readonly errors?: readonly unknown[] } | null

const MANY = 101
const CYCLE = 'fragment A on Query { __typename ...B } fragment B on Query { ...A }'
const PAGES = ['graphiql', 'playground', 'console', 'altair', 'voyager', 'sandbox', 'explorer', 'graphql']
const PAGE = /graphiql|graphql playground|graphql-playground|apollo sandbox|embeddable|voyager|altair/i
const NESTED = 'fields { type { '.repeat(6)

/** The checks of graphql-cop, and additional ones where graphql-cop looks in one place only. */
export const PROBES: readonly Probe[] = [
  {
    name: 'alias overloading',
    finds: async ({ url }) => answersData(await post(url, `{ ${many((index) => `a${index}: __typename`)} }`)),
  },
  {
    name: 'array batches',
    finds: async ({ url }) => {
      const batch = Array.from({ length: 10 }, () => ({ query: '{ __typename }' }))
      return Array.isArray((await postBody(url, JSON.stringify(batch))).json)
    },
  },
  {
    name: 'circular fragments',
    finds: async ({ url }) => answersData(await post(url, `{ ...A } ${CYCLE}`)),
  },
  {
    name: 'circular introspection',
    finds: async ({ url }) =>
      answersData(await post(url, `{ __schema { types { ${NESTED} name ${'} } '.repeat(6)} } } }`)),
  },
  {
    name: 'directive overloading, each of them with an error of its own',
    finds: async ({ url }) => errorsOf(await post(url, `{ __typename ${'@aa'.repeat(10)} }`)).length >= 10,
  },
  {
    name: 'directive overloading',
    finds: async ({ url }) => answersData(await post(url, `{ ${many(() => '__typename @skip(if: false)')} }`)),
  },
  {
    name: 'field duplication',
    finds: async ({ url }) => answersData(await post(url, `{ ${'__typename '.repeat(500)} }`)),
  },
  {
    name: 'field suggestions, about introspection',
    finds: async ({ url }) => (await post(url, '{ __schema { directive } }')).text.includes('Did you mean'),
  },
  {
    name: 'field suggestions, about the schema',
    finds: async ({ url, misspelt }) => (await post(url, misspelt.query)).text.includes(misspelt.name),
  },
  {
    name: 'introspection',
    finds: async ({ url }) =>
      answersData(await post(url, '{ __schema { types { name } } }')) ||
      answersData(await post(url, '{ __type(name: "Query") { name fields { name } } }')),
  },
  {
    name: 'the schema as text',
    finds: async ({ url }) => answersData(await post(url, '{ _service { sdl } }')),
  },
  {
    name: 'queries by GET, from any page',
    finds: async ({ url, query }) => answersData(await get(url, query)),
  },
  {
    name: 'mutations by GET, with and without a header of their own',
    finds: async ({ url, mutation }) =>
      answersData(await get(url, mutation)) ||
      answersData(await get(url, mutation, { 'apollo-require-preflight': 'true' })),
  },
  {
    name: 'queries by POST in the address, from any page',
    finds: async ({ url, query }) => answersData(await fetched(`${url}?${search(query)}`, { method: 'POST' })),
  },
  {
    name: 'queries by POST as a form, from any page',
    finds: async ({ url, query }) =>
      answersData(await fetched(url, { method: 'POST', body: new URLSearchParams({ query }) })),
  },
  {
    name: 'a page of a development tool',
    finds: async ({ url }) => {
      const pages = PAGES.map((path) =>
        fetched(new URL(`/${path}`, url).href, { headers: { accept: 'text/html,*/*;q=0.8' } }),
      )
      return (await Promise.all(pages)).some(({ text }) => PAGE.test(text))
    },
  },
  {
    name: 'tracing',
    finds: async ({ url, query }) => {
      const traced = { 'apollo-federation-include-trace': 'ftv1', 'apollo-tracing': '1' }
      const answers = [await post(url, query), await post(url, query, traced)]
      return answers.some(({ text }) => /"(?:tracing|ftv1|stacktrace|exception)"/.test(text))
    },
  },
  {
    name: 'errors that nobody handled',
    finds: async ({ url }) => {
      const odd = ['qwerty cop { abc }', '{ abc }', '', '{', `{ ${'{'.repeat(200)}`, '{ __typename @skip }']
      const answers = [
        ...(await Promise.all(odd.map((text) => post(url, text)))),
        await postBody(url, '{"query":'),
        await postBody(url, 'null'),
        await postBody(url, '{"query":{"a":1},"variables":[1]}'),
      ]
      return answers.some(
        ({ status, text }) => status >= 500 || /"(?:exception|stacktrace)"|\n? {2,}at |\.[jt]s:\d/.test(text),
      )
    },
  },
]

function many(part: (index: number) => string): string {
  return Array.from({ length: MANY }, (_, index) => part(index)).join(' ')
}

function post(url: string, query: string, headers: Record<string, string> = {}): Promise<Answer> {
  return postBody(url, JSON.stringify({ query }), headers)
}

function postBody(url: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  return fetched(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
}

function get(url: string, query: string, headers: Record<string, string> = {}): Promise<Answer> {
  return fetched(`${url}?${search(query)}`, { headers })
}

function search(query: string): string {
  return new URLSearchParams({ query }).toString()
}

async function fetched(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init)
  const text = await response.text()
  return { status: response.status, text, json: parsed(text) }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

function answersData({ json }: Answer): boolean {
  return Object.values(json?.data ?? {}).some((value) => value !== null)
}

function errorsOf({ json }: Answer): readonly unknown[] {
  return json?.errors ?? []
}
