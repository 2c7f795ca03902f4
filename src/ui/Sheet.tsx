import type { ReactNode } from 'react'
import { useSay, type Sayable } from '~/shared/say'
import { useNow } from '~/ui/clock'
import { Moment } from '~/ui/Moment'
import { OnEveryPage } from '~/ui/OnEveryPage'
import { Letterhead } from './Letterhead'
import classes from './Sheet.module.css'

type Fact = readonly [label: Sayable, value: ReactNode]

/** Labelled values in as many columns as fit; those without a value are left out. */
export function Facts({ of }: { of: readonly (Fact | false | null)[] }) {
  const say = useSay()
  const known = of.filter((fact) => Boolean(fact && fact[1])) as Fact[]
  return (
    <dl className={classes.facts}>
      {known.map(([label, value]) => {
        const words = say(label)
        return (
          <div key={words}>
            <dt>{words}:</dt>
            <dd>{value}</dd>
          </div>
        )
      })}
    </dl>
  )
}

/** A part of a sheet under its heading. */
export function SheetPart({ title, children }: { title: Sayable; children: ReactNode }) {
  const say = useSay()
  return (
    <section className={classes.part}>
      <h3>{say(title)}</h3>
      {children}
    </section>
  )
}

type Props = {
  organization: string
  clinic?: string | null
  contact?: readonly string[]
  title: Sayable
  /** Whose sheet it is and of which day, at the top of each page. */
  onEveryPage: ReactNode
  /** Opposite the letterhead. */
  aside?: ReactNode
  /** Who signs, with a line for the signature. */
  signed?: ReactNode
  children: ReactNode
}

/** What every sheet of paper has: the letterhead, what it is, and when it was printed. */
export function Sheet({
  organization,
  clinic,
  contact,
  title,
  onEveryPage,
  aside,
  signed,
  children,
}: Props) {
  const say = useSay()
  return (
    <article className={classes.sheet}>
      <OnEveryPage head={onEveryPage}>
        <div className={classes.head}>
          <Letterhead organization={organization} clinic={clinic} contact={contact} />
          <div>
            {aside}
            <div className={`${classes.small} ${classes.dim}`}>
              {say('paper.printed')} <Moment at={useNow()} />
            </div>
          </div>
        </div>
        <h2 className={classes.title}>{say(title)}</h2>
        {children}
        {signed !== undefined && (
          <div className={classes.signature}>
            <span>{signed}</span>
            <div className={classes.line}>{say('prescriptions.signature')}</div>
          </div>
        )}
      </OnEveryPage>
    </article>
  )
}
