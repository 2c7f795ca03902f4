import type { MessageKey } from '~/shared/language'
import { type AccessKind, accessKind } from './access-kinds'
import { actionWords } from './audit-words'

export const kindWords = (kind: AccessKind): MessageKey => `accesses.did_${kind}`

/** The sentence for what a user did: of a read by its kind, of a refused write as in the trail of changes. */
export function accessWords(operation: string): MessageKey | undefined {
  const kind = accessKind(operation)
  if (kind) return kindWords(kind)
  return operation.startsWith('rpc.') || operation === 'sync.push'
    ? 'accesses.sentByPhone'
    : actionWords(operation)
}
