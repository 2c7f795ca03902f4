import { type Sayable, useSay } from '~/shared/say'
import { useEarly } from './early'

/**
 * "Clinics · Sanad EHR" in the browser's tab. React lifts it into the head. Every screen has one,
 * and answers once it is there.
 */
export function DocumentTitle({ page }: { page?: Sayable }) {
  const say = useSay()
  useEarly()
  return <title>{page ? `${say(page)} · Sanad EHR` : 'Sanad EHR'}</title>
}
