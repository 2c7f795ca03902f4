import { useFormatter } from 'use-intl'
import { Sheet } from '~/ui/Sheet'
import classes from '~/ui/Sheet.module.css'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import { useSay } from '~/shared/say'
import { TIME_OF_DAY } from '~/ui/clock'
import { Day } from '~/ui/Day'
import { RecordText } from '~/ui/RecordText'
import { warningGravity } from '../LevelBadge'
import type { ListedOverride } from '../overrides.server'
import { useWarningText } from '../WarningText'

type Props = {
  organization: string
  clinic: string | undefined
  day: string
  rows: readonly ListedOverride[]
}

/** The warnings of a day that users went past, to be read and signed on paper. */
export function OverridesSheet({ organization, clinic, day, rows }: Props) {
  const say = useSay()
  const format = useFormatter()
  const textOf = useWarningText()
  const heads = ['paper.time', 'safety.patient', 'safety.warning', 'safety.reason'] as const
  return (
    <Sheet
      organization={organization}
      clinic={clinic ?? null}
      title="safety.overridesOfDay"
      aside={<Day value={day} />}
      onEveryPage={
        <>
          <b>{say('safety.overridesOfDay')}</b> · <Day value={day} />
        </>
      }
      signed={say('safety.reviewed')}
    >
      <div className={classes.part}>
        <table className={`${classes.table} ${classes.small}`}>
          <thead>
            <tr>
              <th scope="col">{say('paper.line')}</th>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {say(head)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={row.id}>
                <td>{index + 1}</td>
                <td>{format.dateTime(new Date(row.overridden_at), TIME_OF_DAY)}</td>
                <td>
                  {row.patient && row.identifiers ? (
                    <>
                      <bdi>{row.patient}</bdi>
                      <SecondIdentifier of={row.identifiers} />
                    </>
                  ) : (
                    '—'
                  )}
                  <div className={classes.dim}>
                    <bdi>{row.clinic}</bdi>
                  </div>
                </td>
                <td>
                  <b>{say(levelWord(row))}</b> <RecordText>{textOf(row.warning)}</RecordText>
                </td>
                <td>
                  <Reason row={row} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <p>{say('safety.overridesEmpty')}</p>}
    </Sheet>
  )
}

const levelWord = ({ warning }: ListedOverride) => {
  const gravity = warningGravity(warning)
  return gravity === 'unchecked'
    ? ('safety.kind.unchecked' as const)
    : (`safety.level.${gravity}` as const)
}

/** Who went past the warning and why, and who reviewed it. */
function Reason({ row }: { row: ListedOverride }) {
  const say = useSay()
  const { reason_code, reason, overridden_by, reviewed_by, review_note } = row
  return (
    <>
      {reason_code === 'emergency' && <b>{say('safety.askedLater')}</b>}
      {reason_code !== 'emergency' && reason === null && say('safety.arrivedUnseen')}
      {reason_code !== 'emergency' && reason !== null && (
        <>
          {say(`safety.code.${reason_code}`)}: <RecordText>{reason}</RecordText>
        </>
      )}
      {overridden_by && (
        <div>
          <bdi>{overridden_by}</bdi>
        </div>
      )}
      {reviewed_by && <div>{say({ key: 'safety.reviewedBy', values: { who: reviewed_by } })}</div>}
      {review_note && <RecordText>{review_note}</RecordText>}
    </>
  )
}
