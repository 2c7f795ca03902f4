import { Letterhead } from '~/ui/Letterhead'
import { useSay } from '~/shared/say'
import { patientName } from '../patient'
import { PatientFacts } from './PatientFacts'
import classes from './PatientCard.module.css'
import type { Patient } from '../patients.server'

type Props = { patient: Patient; card: { code: string; svg: string }; organization: string }

/** A card to cut out and keep: who it is, and the code that opens the record. */
export function PatientCard({ patient, card, organization }: Props) {
  const say = useSay()
  return (
    <article className={classes.card}>
      <div className={classes.words}>
        <Letterhead organization={organization} />
        <div className={classes.name}>
          <bdi>{patientName(patient) || '—'}</bdi>
        </div>
        <PatientFacts patient={patient} isNameless />
        <p className={classes.hint}>{say('paper.bringCard')}</p>
      </div>
      <img
        className={classes.code}
        alt={say({ key: 'paper.cardCode', values: { code: card.code } })}
        src={`data:image/svg+xml,${encodeURIComponent(card.svg)}`}
      />
    </article>
  )
}
