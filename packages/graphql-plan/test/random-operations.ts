import * as fc from 'fast-check'

/** Random selections, with fragments, aliases, arguments, conditions and repeated fields. */
const LEAVES: Readonly<Record<string, readonly string[]>> = {
  Query: [
    'weight',
    'isOpen',
    'any',
    'words',
    'grid',
    '__typename',
    'shown: isOpen @include(if: $yes)',
    'words @skip(if: $no)',
  ],
  Cat: [
    'id',
    'lives',
    'mood',
    'title',
    'title(upper: $yes)',
    'name: title(suffix: $text)',
    '__typename',
    'lives @skip(if: $yes)',
  ],
  Dog: ['id', 'tricks', 'title(suffix: "x")', 't: tricks @include(if: $no)', '__typename'],
  Node: ['id', 'title', '__typename', 'other: title(upper: true, suffix: $text)'],
  Animal: ['__typename'],
  Mutation: ['one', 'a: one(value: 1)', 'b: one(value: $number)'],
  Subscription: [],
}
const BRANCHES: Readonly<Record<string, readonly (readonly [text: string, type: string])[]>> = {
  Query: [
    ['cat', 'Cat'],
    ['dog', 'Dog'],
    ['animal', 'Animal'],
    ['node', 'Node'],
    ['n: node(id: $text)', 'Node'],
    ['animals', 'Animal'],
    ['some: animals(first: $number)', 'Animal'],
    ['strict', 'Animal'],
    ['... on Query', 'Query'],
  ],
  Cat: [
    ['next', 'Node'],
    ['peers', 'Node'],
    ['... on Node', 'Node'],
    ['... @include(if: $no)', 'Cat'],
    ['... CatParts', ''],
  ],
  Dog: [
    ['next', 'Node'],
    ['peers', 'Node'],
    ['owner', 'Cat'],
    ['...', 'Dog'],
  ],
  Node: [
    ['next', 'Node'],
    ['peers', 'Node'],
    ['... on Cat', 'Cat'],
    ['... on Dog @skip(if: $no)', 'Dog'],
  ],
  Animal: [
    ['... on Cat', 'Cat'],
    ['... on Dog', 'Dog'],
    ['... on Node', 'Node'],
  ],
  Mutation: [
    ['two', 'Cat'],
    ['three', 'Cat'],
    ['again: three', 'Cat'],
  ],
  Subscription: [['cat', 'Cat']],
}

const selectionOf = (type: string, depth: number): fc.Arbitrary<string> => {
  const leaves = (LEAVES[type] ?? []).map((leaf) => fc.constant(leaf))
  const branches =
    depth === 0
      ? []
      : (BRANCHES[type] ?? []).map(([text, below]) =>
          below === '' ? fc.constant(text) : selectionOf(below, depth - 1).map((set) => `${text} ${set}`),
        )
  return fc
    .array(fc.oneof(...leaves, ...branches), { minLength: 1, maxLength: 5 })
    .map((parts) => `{ ${parts.join(' ')} }`)
}

const VARIABLES = '($yes: Boolean! = true, $no: Boolean!, $text: String, $number: Int! = 3)'
/** Creates operations for `SDL` in `executor.test.ts`, which may be invalid. */
export const operationOf = fc.oneof(
  { weight: 6, arbitrary: selectionOf('Query', 4).map((set) => `query ${VARIABLES} ${set}`) },
  { weight: 2, arbitrary: selectionOf('Mutation', 3).map((set) => `mutation ${VARIABLES} ${set}`) },
  { weight: 1, arbitrary: selectionOf('Cat', 3).map((set) => `subscription ${VARIABLES} { cat ${set} }`) },
)
