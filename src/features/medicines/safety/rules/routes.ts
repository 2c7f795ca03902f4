import type { CheckedDrug } from './rule'

/**
 * Routes and forms by which little of a medicine reaches the blood: such a medicine is compared
 * with allergies alone.
 */
const LOCAL_ROUTES = ['topical', 'inhalation', 'nasal', 'ophthalmic', 'otic', 'vaginal']
const LOCAL_FORMS = ['cream', 'gel', 'lotion', 'inhaler', 'spray']

/**
 * The form decides only where the route says nothing: a gel for the mouth is swallowed, drops can
 * be a syrup for children.
 */
export const isLocal = ({ form, route }: CheckedDrug) =>
  !route || route === 'other' ? LOCAL_FORMS.includes(form ?? '') : LOCAL_ROUTES.includes(route)
