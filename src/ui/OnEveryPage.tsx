import type { ReactNode } from 'react'
import classes from './OnEveryPage.module.css'

type Props = {
  /** One line. */
  head: ReactNode
  children: ReactNode
}

/** On paper, each page begins with the line, as a table repeats its headings; screens do not show it. */
export const OnEveryPage = ({ head, children }: Props) => (
  <div className={classes.pages}>
    <div className={classes.body}>{children}</div>
    {/* a header group is drawn first, wherever it is */}
    <div className={classes.head}>
      <div className={classes.line}>{head}</div>
    </div>
  </div>
)
