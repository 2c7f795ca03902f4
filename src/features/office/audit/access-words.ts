import { shortKey } from '~/features/office/hub/hub'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { LOST_ACCESSES } from '~/shared/lost-accesses'
import type { AccessKind } from '~/shared/access-kinds'
import { accessKind } from './access-kinds'
import { actionWords } from './audit-words'

export const kindWords = (kind: AccessKind): MessageKey => `accesses.did_${kind}`

/** The message for an access: for a read, that of its kind; for a refused write, that of the audit trail. */
export function accessWords(operation: string): MessageKey | undefined {
  if (operation === LOST_ACCESSES) return 'accesses.did_lost'
  const kind = accessKind(operation)
  if (kind) return kindWords(kind)
  return operation.startsWith('rpc.') || operation === 'sync.push'
    ? 'accesses.sentByPhone'
    : actionWords(operation)
}

type Phone = { phone: string | null; hubKey: string | null; phoneNumber: number | null }

/** The phone of an access: as its user calls it, else by its key on the clinic's own network, else by its number. */
export function phoneWords(
  { phone, hubKey, phoneNumber }: Phone,
  say: (message: Message) => string,
) {
  if (phone) return phone
  if (hubKey) return say({ key: 'hub.phoneKey', values: { key: shortKey(hubKey) } })
  if (phoneNumber === null) return null
  return say({ key: 'devices.phoneNumber', values: { number: phoneNumber } })
}
