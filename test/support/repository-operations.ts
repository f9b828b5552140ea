import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kind, parse, specifiedRules, validate, type OperationDefinitionNode } from 'graphql'
import { parseSync } from 'vite'
import { schema } from '../rights/selection.ts'

/** An operation in this repository. */
export type RepositoryOperation = {
  /** The first file that contains it. */
  readonly file: string
  /** The text of its document. */
  readonly query: string
  readonly node: OperationDefinitionNode
}

const ROOT = join(import.meta.dirname, '../..')
const FILES = ['README.md', '{docs,src,packages,examples,scripts,bench,test}/**/*.{md,ts,tsx,graphql,json}']
const EXCLUDED = ['**/node_modules/**', 'bench/peers/**', '**/fixtures/**']
/** Matches the start of any operation, within quotes or at the start of a line. */
const MAY_HOLD = /["'`\n]\s*(?:#|\{|query|mutation|subscription|fragment)/

/**
 * Returns all operations of the repository that are valid in our schema: in GraphQL files and manifests of documents, in the code blocks of
 * pages, and in the strings of programs and tests. In strings, `x` replaces an inserted value that is not a constant of the file.
 */
export function repositoryOperations(): readonly RepositoryOperation[] {
  const found = new Map<string, RepositoryOperation>()
  for (const file of globSync(FILES, { cwd: ROOT, exclude: EXCLUDED }).toSorted()) {
    const content = readFileSync(join(ROOT, file), 'utf8')
    if (!MAY_HOLD.test(content)) continue
    for (const text of textsIn(file, content))
      for (const node of operationsOf(text)) {
        const query = text.trim()
        const key = `${node.name?.value ?? ''} ${query}`
        if (!found.has(key)) found.set(key, { file, query, node })
      }
  }
  return [...found.values()]
}

/** Returns the operations of a document; none if the text is not a document, or is invalid in our schema. */
function operationsOf(text: string): readonly OperationDefinitionNode[] {
  if (!/^\s*(?:#|\{|query|mutation|subscription|fragment)/.test(text)) return []
  try {
    const document = parse(text)
    const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    return operations.length > 0 && validate(schema, document, specifiedRules).length === 0 ? operations : []
  } catch {
    return []
  }
}

function textsIn(file: string, content: string): readonly string[] {
  if (file.endsWith('.graphql')) return [content]
  if (file.endsWith('.json')) return stringsIn(JSON.parse(content))
  return file.endsWith('.md') ? textsOfPage(content) : textsOfProgram(file, content)
}

function textsOfPage(content: string): readonly string[] {
  return [...content.matchAll(/^```(\w*)[^\n]*\n(.*?)^```$/gms)].flatMap(([, language, code = '']) => {
    if (language === 'graphql') return [code]
    if (language === 'ts' || language === 'tsx' || language === 'js') return textsOfProgram(`block.${language}`, code)
    const quoted = Array.from(code.matchAll(/"query":\s*("(?:[^"\\]|\\.)*")/g), ([, text = '""']) =>
      String(JSON.parse(text)),
    )
    return quoted.concat(Array.from(code.matchAll(/`([^`]*)`/g), ([, text = '']) => text))
  })
}

/** Returns all strings of a program. */
function textsOfProgram(file: string, code: string): readonly string[] {
  const texts: string[] = []
  const constants = new Map<string, string>()
  const textOf = (node: ProgramNode | null | undefined): string | null => {
    if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : null
    if (node?.type !== 'TemplateLiteral') return null
    const { quasis = [], expressions = [] } = node
    const values = expressions.map(({ name = '' }) => constants.get(name) ?? 'x')
    return quasis.map((part, index) => part.value.cooked + (values[index] ?? '')).join('')
  }
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const node = value as ProgramNode
    const text = textOf(node)
    if (text !== null) texts.push(text)
    if (node.type === 'VariableDeclarator') constants.set(node.id?.name ?? '', textOf(node.init) ?? 'x')
    Object.values(value).forEach(look)
  }
  look(parseSync(file, code).program)
  return texts
}

type ProgramNode = {
  readonly type?: string
  readonly name?: string
  readonly value?: unknown
  readonly id?: ProgramNode
  readonly init?: ProgramNode | null
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[]
  readonly expressions?: readonly ProgramNode[]
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
