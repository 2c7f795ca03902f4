import { Button, Group, Paper, Text } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useFormatter } from 'use-intl'
import { ageRangeInMonths } from '~/fields/birth'
import { Died } from '~/features/people/patients/Died'
import { withBirthPrecision } from '~/features/people/patients/patient'
import { PatientAge } from '~/features/people/patients/PatientAge'
import { isPregnancyRelevant } from '~/features/care/pregnancies/pregnancy'
import { PregnancyDialog } from '~/features/care/pregnancies/PregnancyDialog'
import { PregnancyText } from '~/features/care/pregnancies/PregnancyText'
import { EGFR_FROM_YEARS } from '~/features/care/vitals/egfr'
import { useSay, useLanguage } from '~/shared/say'
import { clinicTimeZone, dayIn, daysBetween } from '~/shared/zone'
import { StatusBadge } from '~/ui/StatusBadge'
import type { CheckedPatient } from './rules/rule'
import { unusableWeightMessage } from './rules/unusable-weight'

const VitalDialog = lazy(() =>
  import('~/features/care/vitals/VitalDialog').then((module) => ({ default: module.VitalDialog })),
)
/** Up to five years, lying down or standing up matters. */
const SMALL_CHILD_MONTHS = 61

type Props = {
  facts: CheckedPatient
  /** With it, the answer about pregnancy, weight and creatinine can be recorded here. */
  record?: { patientId: string; visitId?: string | null; onSaved: () => unknown } | undefined
}

/** Age, weight, pregnancy and kidney function where medicines are chosen; what is not recorded is said. */
export function PatientFactsLine({ facts, record }: Props) {
  const say = useSay()
  const [isRecording, setRecording] = useState(false)
  const [isMeasuring, setMeasuring] = useState(false)
  const { birth, sex, today, pregnancy } = facts
  const isAsked = pregnancy.at !== null || isPregnancyRelevant(sex, birth, today)
  return (
    <Paper withBorder px="sm" py={8} component="section" aria-label={say('safety.facts.title')}>
      {facts.diedOn && <Died on={facts.diedOn} />}
      <Group gap="lg" style={{ rowGap: 6 }} align="center">
        <Group gap="lg" style={{ rowGap: 6 }} component="dl" m={0} align="center">
          <Fact label="age">
            {birth ? (
              <PatientAge
                patient={{
                  date_of_birth: birth.day,
                  metadata: withBirthPrecision(null, birth.precision),
                }}
              />
            ) : (
              <NotRecorded />
            )}
          </Fact>
          <Fact label="weight">
            <Weight facts={facts} />
          </Fact>
          {isAsked && (
            <Fact label="pregnancy">
              <PregnancyText
                state={pregnancy.state}
                weeks={pregnancy.weeks}
                askedOn={pregnancy.at && dayIn(pregnancy.at, 'UTC')}
              />
              {record && (
                <Button
                  ms="xs"
                  variant="default"
                  size="compact-sm"
                  onClick={() => setRecording(true)}
                >
                  {say('pregnancies.change')}
                </Button>
              )}
            </Fact>
          )}
          <Fact label="kidneys">
            <Kidneys facts={facts} />
            {facts.kidneyStage && (
              <>
                {' · '}
                {say({ key: 'safety.facts.stage', values: { stage: facts.kidneyStage } })}
              </>
            )}
          </Fact>
        </Group>
        {record && (
          <Button variant="default" size="compact-sm" onClick={() => setMeasuring(true)}>
            {say('safety.facts.measure')}
          </Button>
        )}
      </Group>
      {isRecording && record && (
        <PregnancyDialog
          patientId={record.patientId}
          onSaved={record.onSaved}
          onClose={() => setRecording(false)}
        />
      )}
      {isMeasuring && record && (
        <Suspense>
          <VitalDialog
            patientId={record.patientId}
            visits={[]}
            visitId={record.visitId ?? null}
            mayOpen={false}
            isSmallChild={birth !== null && ageRangeInMonths(birth, today)[0] < SMALL_CHILD_MONTHS}
            onClose={() => {
              setMeasuring(false)
              void record.onSaved()
            }}
          />
        </Suspense>
      )}
    </Paper>
  )
}

type Label = 'age' | 'weight' | 'pregnancy' | 'kidneys'
function Fact({ label, children }: { label: Label; children: ReactNode }) {
  const say = useSay()
  return (
    <Group gap={6} align="baseline">
      <Text size="xs" c="dimmed" component="dt">
        {say(`safety.facts.${label}`)}
      </Text>
      <Text size="sm" fw={500} component="dd" m={0} aria-live="polite">
        {children}
      </Text>
    </Group>
  )
}

function NotRecorded() {
  return (
    <Text span inherit fs="italic">
      {useSay()('safety.facts.notRecorded')}
    </Text>
  )
}

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const
/** A child's weight that is older is no weight to dose by: three months, one month below two years. */
const WEIGHT_DAYS = 91
const SMALL_WEIGHT_DAYS = 31
const [SMALL_MONTHS, CHILD_MONTHS] = [24, 18 * 12]

function Weight({ facts }: { facts: CheckedPatient }) {
  const { weight, unusableWeight, birth, today } = facts
  const say = useSay()
  const format = useFormatter()
  const language = useLanguage()
  const unusable = unusableWeight && (
    <StatusBadge tone="warning" isLong>
      {say(unusableWeightMessage(unusableWeight, birth, language))}
    </StatusBadge>
  )
  if (!weight) return unusable ?? <NotRecorded />
  const months = birth ? ageRangeInMonths(birth, today)[0] : Infinity
  const age = daysBetween(dayIn(new Date(weight.at), clinicTimeZone()), today)
  const isSmall = months < SMALL_MONTHS
  const isOld = months < CHILD_MONTHS && age > (isSmall ? SMALL_WEIGHT_DAYS : WEIGHT_DAYS)
  return (
    <>
      {say({
        key: 'safety.facts.kg',
        values: { kg: weight.kg, day: format.dateTime(new Date(weight.at), DAY) },
      })}{' '}
      {isOld && (
        <StatusBadge tone="warning" isLong>
          {say(isSmall ? 'safety.facts.weighAgainSoon' : 'safety.facts.weighAgain')}
        </StatusBadge>
      )}{' '}
      {unusable}
    </>
  )
}

function Kidneys({ facts: { kidneys, creatinine, birth, today } }: { facts: CheckedPatient }) {
  const say = useSay()
  const format = useFormatter()
  const day = (at: Date) => format.dateTime(new Date(at), DAY)
  if (kidneys) {
    const { egfr, at } = kidneys
    return say({ key: 'safety.facts.egfr', values: { egfr, day: day(at) } })
  }
  const isChild = birth !== null && ageRangeInMonths(birth, today)[0] < EGFR_FROM_YEARS * 12
  if (!creatinine) return isChild ? say('safety.facts.egfrChild') : <NotRecorded />
  const { umol, at } = creatinine
  return (
    <>
      {say({ key: 'safety.facts.creatinine', values: { umol, day: day(at) } })} ·{' '}
      {say(isChild ? 'safety.facts.egfrChild' : 'safety.facts.egfrNeeds')}
    </>
  )
}
