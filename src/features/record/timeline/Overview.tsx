import { Alert, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { onlySearch } from '~/ui/search'
import { LinkAnchor } from '~/client/links'
import type { Appointment } from '~/features/day/appointments/appointments.server'
import type { ShownEvent } from '~/features/forms/events/events.server'
import { Snapshots } from '~/features/forms/events/Snapshots'
import { NextAppointment } from '~/features/day/appointments/NextAppointment'
import { CurrentMedicinesList } from '~/features/medicines/taken/CurrentMedicinesList'
import type { CurrentMedicineList } from '~/features/medicines/taken/current.server'
import { FormerWords, problemName } from '~/features/care/problems/ProblemStatus'
import { codeText } from '~/features/care/problem-codes/code'
import type { Problem } from '~/features/care/problems/problems.server'
import { VisitList } from '~/features/record/visits/VisitList'
import type { Visit } from '~/features/record/visits/visits.server'
import { LatestVitals } from '~/features/care/vitals/LatestVitals'
import type { LatestVital } from '~/features/care/vitals/vitals.server'
import type { Allergy } from '~/features/care/allergies/allergies.server'
import { isActiveAllergy, isNoneKnown } from '~/records/allergy'
import { isCurrent } from '~/records/problem'
import type { Actor } from '~/shared/actor'
import type { Language, MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import classes from './Overview.module.css'

type Props = {
  /** Null: they could not be loaded, and the rest is shown. */
  latest: LatestVital[] | null
  allergies: readonly Allergy[] | null
  problems: Problem[] | null
  visits: Visit[] | null
  snapshots: ShownEvent[] | null
  medicines: CurrentMedicineList | null
  next: { appointment: Appointment | null } | null
  /** Null if the patient is in no program. */
  due: ReactNode
  /** Null: they could not be loaded. */
  programs: ReactNode
  /** Null where pregnancy is not asked about. */
  pregnancy: ReactNode
  actor: Actor
  language: Language
}

const VISITS_SHOWN = 3

/** What matters about a patient, at a glance. */
export function Overview({
  latest,
  allergies,
  problems,
  visits,
  snapshots,
  medicines,
  next,
  due,
  programs,
  pregnancy,
  actor,
  language,
}: Props) {
  return (
    <div className={classes.overview}>
      <Stack gap="lg" className={classes.first}>
        <KnownAllergies allergies={allergies} />
        <ActiveProblems problems={problems} language={language} />
        <Part title="medicines.current" isEmpty={medicines?.rows.length === 0}>
          {medicines === null ? <Failed /> : <CurrentMedicinesList medicines={medicines} />}
        </Part>
      </Stack>
      <Stack gap="lg" className={classes.beside}>
        {due && <Part title="followups.whatIsDue">{due}</Part>}
        <LastVitals latest={latest} />
        <Part title="appointments.nextOne" isEmpty={next?.appointment === null}>
          {next === null ? <Failed /> : <NextAppointment appointment={next.appointment} />}
        </Part>
        {snapshots && snapshots.length > 0 && (
          <Part title="events.snapshots">
            <Snapshots events={snapshots} />
          </Part>
        )}
      </Stack>
      <Stack gap="lg" className={classes.then}>
        <Part title="programs.title">{programs ?? <Failed />}</Part>
        {pregnancy && <Part title="pregnancies.title">{pregnancy}</Part>}
        <RecentVisits visits={visits} actor={actor} language={language} />
      </Stack>
    </div>
  )
}

/** With the reactions, which the line at the top has no room for. It says that nobody asked, or that none are known. */
function KnownAllergies({ allergies }: Pick<Props, 'allergies'>) {
  const say = useSay()
  const known = allergies?.filter((allergy) => isActiveAllergy(allergy) && !isNoneKnown(allergy))
  if (known?.length === 0) return null
  return (
    <Part title="allergies.title">
      {known === undefined ? (
        <Text size="sm" fw={600}>
          {say('allergies.failed')}
        </Text>
      ) : (
        <Paper withBorder component="ul" className={classes.rows}>
          {known.map(({ id, substance, severity, reaction }) => (
            <Group key={id} component="li" gap="xs" py={4}>
              <Text size="sm" fw={500} component="bdi">
                {substance}
              </Text>
              <Text size="sm" c="dimmed">
                {severity && say(`allergies.${severity}`)}
                {severity && reaction && ' · '}
                <bdi>{reaction}</bdi>
              </Text>
            </Group>
          ))}
        </Paper>
      )}
    </Part>
  )
}

function ActiveProblems({ problems, language }: Pick<Props, 'problems' | 'language'>) {
  const say = useSay()
  const active = problems?.filter(isCurrent)
  return (
    <Part title="patientPage.activeProblems" isEmpty={active?.length === 0}>
      {active === undefined && <Failed />}
      {active?.length === 0 && (
        <Text size="sm" c="dimmed">
          {say(problems?.length === 0 ? 'problems.empty' : 'problems.noActive')}
        </Text>
      )}
      {active && active.length > 0 && (
        <Paper withBorder component="ul" className={classes.rows}>
          {active.map((problem) => (
            <Group key={problem.id} component="li" gap="xs" py={4}>
              <Text size="sm" fw={500} component="bdi">
                {problemName(problem, language)}
              </Text>
              <Text size="xs" c="dimmed">
                <bdi dir="ltr">{codeText(problem, say('problems.uncoded'))}</bdi>
                {problem.laterality && ` · ${say(`problems.side_${problem.laterality}`)}`}
                {problem.clinical_status !== 'active' &&
                  ` · ${say(`problems.${problem.clinical_status}`)}`}
                {problem.verification_status !== 'confirmed' &&
                  ` · ${say(`problems.${problem.verification_status}`)}`}
                {problem.former_words && ' · '}
                <FormerWords problem={problem} />
                {problem.onset_date && (
                  <>
                    {' · '}
                    <Day value={problem.onset_date} />
                  </>
                )}
              </Text>
            </Group>
          ))}
        </Paper>
      )}
    </Part>
  )
}

function LastVitals({ latest }: Pick<Props, 'latest'>) {
  const say = useSay()
  return (
    <Part title="vitals.latest" isEmpty={latest?.length === 0}>
      {latest === null && <Alert color="yellow">{say('patientPage.vitalsFailed')}</Alert>}
      {latest?.length === 0 && (
        <Text size="sm" c="dimmed">
          {say('vitals.empty')}
        </Text>
      )}
      {latest && latest.length > 0 && (
        <>
          <LatestVitals latest={latest} />
          <Text size="xs" c="dimmed" mt="xs">
            {say('vitals.rangesNote')}
          </Text>
        </>
      )}
    </Part>
  )
}

function RecentVisits({ visits, actor, language }: Pick<Props, 'visits' | 'actor' | 'language'>) {
  const say = useSay()
  return (
    <Part
      title="patientPage.lastVisits"
      isEmpty={visits?.length === 0}
      more={
        visits && visits.length > VISITS_SHOWN ? (
          <LinkAnchor size="sm" to="." search={onlySearch({ tab: 'visits' })}>
            {say('patientPage.allVisits')}
          </LinkAnchor>
        ) : null
      }
    >
      {visits === null && <Failed />}
      {visits?.length === 0 && (
        <Text size="sm" c="dimmed">
          {say('visits.empty')}
        </Text>
      )}
      {visits && visits.length > 0 && (
        <VisitList
          rows={visits.slice(0, VISITS_SHOWN)}
          actor={actor}
          language={language}
          heading="h3"
        />
      )}
    </Part>
  )
}

/** A part without an entry is one line: of a new patient nearly all are. */
function Part({
  title,
  more,
  isEmpty = false,
  children,
}: {
  title: MessageKey
  more?: ReactNode
  isEmpty?: boolean
  children: ReactNode
}) {
  const say = useSay()
  if (isEmpty)
    return (
      <Group component="section" aria-label={say(title)} gap="xs" align="baseline">
        <Title order={2} size="sm">
          {say(title)}
        </Title>
        {children}
      </Group>
    )
  return (
    <section aria-label={say(title)}>
      <Group justify="space-between" mb={6}>
        <Title order={2} size="sm">
          {say(title)}
        </Title>
        {more}
      </Group>
      {children}
    </section>
  )
}

function Failed() {
  const say = useSay()
  return <Alert color="yellow">{say('patientPage.partFailed')}</Alert>
}
