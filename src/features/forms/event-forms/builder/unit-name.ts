import { unitName } from '~/forms/unit'
import { useSay } from '~/shared/say'

/** A unit of measurement in the viewer's language. */
export function useUnitName() {
  const say = useSay()
  return (unit: string) => unitName(unit, say)
}
