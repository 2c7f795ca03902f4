import { createContext, use } from 'react'
import { type Sayable, useSay } from '~/shared/say'
import { useEarly } from './early'

/** Whom the screen is about, "Amina Haddad, 34 years": the tabs of two patients have different titles. */
export const TitleAbout = createContext<string | null>(null)

/**
 * "Clinics · Sanad EHR" in the browser's tab. React lifts it into the head. Every screen has one,
 * and answers once it is there.
 */
export function DocumentTitle({ page }: { page?: Sayable }) {
  const say = useSay()
  const about = use(TitleAbout)
  useEarly()
  const parts = [about, page && say(page), 'Sanad EHR'].filter(Boolean)
  return <title>{parts.join(' · ')}</title>
}
