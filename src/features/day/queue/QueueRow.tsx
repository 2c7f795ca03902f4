import { Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { LinkAnchor } from '~/client/links'
import { Died } from '~/features/people/patients/Died'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import type { Identifiers } from '~/features/people/patients/patient'
import type { Urgency } from '~/features/rules/transitions/urgency'
import { useSay } from '~/shared/say'
import classes from './Queue.module.css'

type Props = {
  /** The number, or the time at which the patient is expected. */
  lead: ReactNode
  patientId: string
  /** Empty if the patient has none. */
  patient: string
  identifiers: Identifiers
  diedOn: string | null
  /** What else is known of the patient and the appointment: cut where there is no room. */
  facts: ReactNode
  /** What just happened to the patient, beside the identifiers. */
  state?: ReactNode
  urgency?: Urgency
  isCalled?: boolean
  /** What is done with the patient. */
  children?: ReactNode
}

/** A patient in a list of the queue. The two identifiers are never cut. */
export function QueueRow(props: Props) {
  const { lead, patientId, patient, identifiers, diedOn, facts, state, urgency, isCalled } = props
  const say = useSay()
  return (
    <Paper
      withBorder
      component="li"
      className={classes.row}
      data-urgency={urgency}
      data-called={isCalled ? true : undefined}
    >
      <div className={classes.lead}>{lead}</div>
      <div>
        <div className={classes.identity}>
          <LinkAnchor fw={600} to="/app/patients/$patientId" params={{ patientId }}>
            <bdi>{patient || say('patientPage.noName')}</bdi>
          </LinkAnchor>
          {diedOn && <Died on={diedOn} />}
          <Text
            size="xs"
            c="dimmed"
            component="span"
            className={classes.facts}
            // what is cut at a desk is read by pointing at it
            onMouseEnter={({ currentTarget }) => {
              currentTarget.title = currentTarget.textContent
            }}
          >
            {facts}
          </Text>
        </div>
        <div className={classes.identity}>
          <SecondIdentifier of={identifiers} />
          {state}
        </div>
      </div>
      <div className={classes.actions}>{props.children}</div>
    </Paper>
  )
}
