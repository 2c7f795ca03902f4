import type { Warning } from '~/features/medicines/safety/rules/warning'
import type { Sayable, useSay } from '~/shared/say'
import { confirm } from '~/ui/confirm'
import type { FieldErrors } from '~/ui/form'

type Say = ReturnType<typeof useSay>

/** A dose beyond twice the limit is usually a typing error: it asks again. */
export async function isGrossMeant(
  warnings: readonly Warning[],
  answered: readonly { key: string }[],
) {
  const isGross = ({ key, kind, ...rest }: Warning) =>
    kind === 'dose' &&
    'level' in rest &&
    rest.level === 'must_not' &&
    !answered.some((one) => one.key === key)
  if (!warnings.some(isGross)) return true
  return confirm({ title: 'dose.grossTitle', text: 'dose.grossText', action: 'dose.grossAction' })
}

/** What the top of the form says of these errors. */
export function summarizeErrors(found: FieldErrors, say: Say) {
  const texts: Sayable[] = []
  if (found['items']) texts.push('prescriptions.noItems')
  if (Object.keys(found).some((path) => path.startsWith('items.')))
    texts.push('prescriptions.fillItems')
  // oxlint-disable-next-line no-console -- docs/specification.md logs these sentences
  for (const text of texts) console.error(say(text))
  return texts
}
