import { expect, test } from 'vitest'
import type { AnyOperation } from '~/server/operation'

const files = import.meta.glob<object>('../src/features/**/*.server.ts', { eager: true })
const isOperation = (exported: unknown): exported is AnyOperation =>
  typeof exported === 'function' && 'facts' in exported

const HEAD =
  '// Generated: `npm test -- test/operation-types.test.ts -u` writes it anew. Do not edit.\n'
const lines = (all: readonly string[]) => all.map((line) => `${line}\n`).join('')

const declared = Object.entries(files)
  .flatMap(([file, exported]) => {
    const path = file.replace('../src/', '~/').replace(/\.ts$/, '')
    return Object.entries(exported).flatMap(([constant, operation]: [string, unknown]) => {
      if (!isOperation(operation)) return []
      const { name } = operation.facts
      const [noun = '', verb = ''] = name.split('.')
      const type = `typeof import('${path}').${constant}`
      return [{ ...operation.facts, path, noun, verb, type }]
    })
  })
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

const paths = [...new Set(declared.map(({ path }) => path))].toSorted()
const imports = `${HEAD}${lines(paths.map((path, at) => `import * as file${at} from '${path}'`))}
/** Every file of features that exports operations. */
export const FILES: readonly Record<string, unknown>[] = [
${lines(paths.map((_, at) => `  file${at},`))}]
`

const ofKind = (kind: string) => declared.filter((each) => each.kind === kind)
const nouns = Map.groupBy(declared, ({ noun }) => noun)

/** As text and not computed by the compiler, which would infer every operation to know the name of one. */
const types = `${HEAD}
export interface Operations {
${lines(declared.map(({ name, type }) => `  '${name}': ${type}`))}}

export type QueryName =
${ofKind('query')
  .map(({ name }) => `  | '${name}'`)
  .join('\n')}

export type MutationName =
${ofKind('mutation')
  .map(({ name }) => `  | '${name}'`)
  .join('\n')}

/** The name of each operation by its noun and verb. */
export interface OperationNames {
${lines(
  [...nouns].map(
    ([noun, all]) =>
      `  ${noun}: {\n${lines(all.map(({ verb, name }) => `    ${verb}: '${name}'`))}  }`,
  ),
)}}
`

/** A verb of both kinds does not say which an operation is: its reads are listed by their whole names. */
const verbsThatWrite = new Set(ofKind('mutation').map(({ verb }) => verb))
const reads = new Set(
  ofKind('query').map(({ name, verb }) => (verbsThatWrite.has(verb) ? `'${name}'` : verb)),
)
const byPost = ofKind('query').filter((read) => read.byPost)
const kinds = declared.flatMap(({ name, access }) => (access ? [`  '${name}': '${access}',`] : []))

const accesses = `${HEAD}
export const KIND_OF_OPERATION = {
${lines(kinds)}} as const
`

/** For the browser, which does not have the operations and so cannot ask them. */
const facts = `${HEAD}
/** Verbs and names of the operations that read; every other one writes. */
export const READS: Readonly<Record<string, true>> = {
${lines([...reads].toSorted().map((read) => `  ${read}: true,`))}}

/** Reads that come by POST. */
export const READ_BY_POST: readonly string[] = [
${lines(byPost.map(({ name }) => `  '${name}',`))}]
`

test('what programs may call is what a file of a feature exports', async () => {
  await expect(imports).toMatchFileSnapshot('../src/rpc/operation-files.gen.ts')
})

test('the types of the operations are those of the files that declare them', async () => {
  await expect(types).toMatchFileSnapshot('../src/rpc/operations.gen.ts')
})

test('the browser knows which operations read', async () => {
  await expect(facts).toMatchFileSnapshot('../src/rpc/reads.gen.ts')
})

test('the log of accesses knows what kind of access an operation is', async () => {
  await expect(accesses).toMatchFileSnapshot('../src/shared/access-kinds.gen.ts')
})
