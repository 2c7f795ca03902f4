import type { AnyOperation } from '~/server/operation'
import { FILES } from './operation-files.gen'

const isOperation = (exported: unknown): exported is AnyOperation =>
  typeof exported === 'function' && 'facts' in exported

/** Every operation that a file of a feature exports, by name, `noun.verb`: what programs may call. */
export const operations: ReadonlyMap<string, AnyOperation> = byName(
  FILES.flatMap((file) => Object.values<unknown>(file).filter(isOperation)),
)

function byName(all: readonly AnyOperation[]) {
  const named = new Map<string, AnyOperation>()
  for (const operation of all) {
    const { name } = operation.facts
    if (named.has(name) && named.get(name) !== operation)
      throw new Error(`Two operations are called ${name}.`)
    named.set(name, operation)
  }
  return named
}
