import { type Sayable, useSay } from '~/shared/say'

/** "Clinics · Sanad EHR" in the browser's tab. React lifts it into the head. */
export function DocumentTitle({ page }: { page?: Sayable }) {
  const say = useSay()
  return <title>{page ? `${say(page)} · Sanad EHR` : 'Sanad EHR'}</title>
}
