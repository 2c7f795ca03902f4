import { VisuallyHidden } from '@mantine/core'
import { useSay } from '~/shared/say'

/** Announces how many results a search has; null while nothing is searched for. */
export function FoundCount({ count }: { count: number | null }) {
  const say = useSay()
  return (
    <VisuallyHidden aria-live="polite">
      {count !== null && say({ key: 'form.found', values: { count } })}
    </VisuallyHidden>
  )
}
