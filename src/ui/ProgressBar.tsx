import { useRouterState } from '@tanstack/react-router'
import classes from './ProgressBar.module.css'

/** A thin line at the top while the next screen is on its way. Appears only when that takes a moment. */
export function ProgressBar() {
  const isLoading = useRouterState({ select: (state) => state.isLoading })
  return isLoading ? <div className={classes.bar} aria-hidden /> : null
}
