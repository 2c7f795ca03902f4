import type { MessageKey } from '~/shared/language'
import { type AccessKind, accessKind } from './access-kinds'
import { actionWords } from './audit-words'

export const kindWords = (kind: AccessKind): MessageKey => `accesses.did_${kind}`

/** The message for an access: for a read, that of its kind; for a refused write, that of the audit trail. */
export function accessWords(operation: string): MessageKey | undefined {
  const kind = accessKind(operation)
  if (kind) return kindWords(kind)
  return operation.startsWith('rpc.') || operation === 'sync.push'
    ? 'accesses.sentByPhone'
    : actionWords(operation)
}
