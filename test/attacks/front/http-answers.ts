/** One HTTP response as received. */
export type HttpAnswer = {
  /** Method of the request. */
  readonly method: string
  readonly status: number
  /** By lower-case name, with the value of every line. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: Buffer
  /** Whether the whole body was received. */
  readonly complete: boolean
}

export type HttpAnswers = {
  readonly answers: readonly HttpAnswer[]
  /** Why the bytes are not valid HTTP; null if they are. */
  readonly fault: string | null
}

type Body = { readonly body: Buffer; readonly end: number; readonly complete: boolean }

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/
const HEADER_LINE = /^([\w!#$%&'*+.^`|~-]+): ([\x20-\x7e]*)$/
const MOST_HEAD = 16 * 1024

/** Parses the bytes of a connection strictly. `methods` are those of the requests; `ended` means that no more bytes will come. */
export function readAnswers(bytes: Buffer, methods: readonly string[], ended: boolean): HttpAnswers {
  const answers: HttpAnswer[] = []
  for (let at = 0; at < bytes.length;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at)
    if (headEnd === -1) {
      const isFault = ended || bytes.length - at > MOST_HEAD
      return { answers, fault: isFault ? 'an answer has no end of its head' : null }
    }
    const head = readHead(bytes.toString('latin1', at, headEnd))
    if (typeof head === 'string') return { answers, fault: head }
    const rest = bytes.subarray(headEnd + 4)
    if (head.status < 200) {
      at = headEnd + 4
      continue
    }
    const method = methods[answers.length] ?? 'GET'
    const body = readBody(rest, head, method, ended)
    if (typeof body === 'string') return { answers, fault: body }
    answers.push({ ...head, method, body: body.body, complete: body.complete })
    if (!body.complete) break
    at = headEnd + 4 + body.end
  }
  return { answers, fault: answers.length > methods.length ? 'there are more answers than requests' : null }
}

type Head = Pick<HttpAnswer, 'status' | 'headers'>

function readHead(text: string): Head | string {
  const [first = '', ...lines] = text.split('\r\n')
  const status = STATUS_LINE.exec(first)?.[1]
  if (status === undefined) return `the status line is ${JSON.stringify(first)}`
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? []
    if (name === undefined) return `a header line is ${JSON.stringify(line)}`
    const known = headers.get(name.toLowerCase())
    if (known === undefined) headers.set(name.toLowerCase(), [value])
    else known.push(value)
  }
  const twice = ['content-length', 'content-type', 'transfer-encoding', 'cache-control', 'location'].find(
    (name) => (headers.get(name)?.length ?? 0) > 1,
  )
  return twice === undefined ? { status: Number(status), headers } : `${twice} is given twice`
}

function readBody(rest: Buffer, { status, headers }: Head, method: string, ended: boolean): Body | string {
  const nothing = { body: Buffer.alloc(0), end: 0, complete: true }
  if (method === 'HEAD' || status === 204 || status === 304) return nothing
  const length = headers.get('content-length')?.[0]
  if (headers.has('transfer-encoding')) return length === undefined ? readChunks(rest) : 'a body has two lengths'
  if (length === undefined) return { body: rest, end: rest.length, complete: ended }
  if (!/^\d+$/.test(length)) return `a length is ${length}`
  const end = Math.min(Number(length), rest.length)
  return { body: rest.subarray(0, end), end, complete: end === Number(length) }
}

function readChunks(rest: Buffer): Body | string {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd === -1) return { body: Buffer.concat(parts), end: at, complete: false }
    const size = rest.toString('latin1', at, lineEnd)
    if (!/^[0-9a-f]+$/i.test(size)) return `the size of a chunk is ${JSON.stringify(size)}`
    const end = lineEnd + 2 + parseInt(size, 16)
    if (rest.length < end + 2) return { body: Buffer.concat(parts), end: at, complete: false }
    if (rest.toString('latin1', end, end + 2) !== '\r\n') return 'a chunk does not end where it says'
    if (end === lineEnd + 2) return { body: Buffer.concat(parts), end: end + 2, complete: true }
    parts.push(rest.subarray(lineEnd + 2, end))
    at = end + 2
  }
}
