import { Group, Stack, Text, Title } from '@mantine/core'
import { useTimeZone } from 'use-intl'
import { cellKey } from '~/features/reports/cells/definition'
import { Letterhead } from '~/ui/Letterhead'
import { clinicContactValues } from '~/records/clinic'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { dayIn } from '~/shared/zone'
import { useToday } from '~/ui/clock'
import { Day, useDayText } from '~/ui/Day'
import { OnEveryPage } from '~/ui/OnEveryPage'
import { pageSize } from './page-size'
import { usePeriodName } from './period-name'
import classes from './PrintedReport.module.css'
import type { ShownReport } from '../reports.server'
import { RunWords } from '../RunPanel'
import { SIGNATURES } from '../runs'
import { useSheetNames } from './sheet-names'
import { SheetSection } from './SheetSection'

type Props = { report: ShownReport; organization: string; language: Language }

/** The report on paper, in the order of the definition: who issues it, for what, its state and its signatures. */
export function PrintedReport({ report, organization, language }: Props) {
  const say = useSay()
  const nameOf = usePeriodName()
  const names = useSheetNames(report.definition, language)
  const { clinics, run, definition } = report
  const cells = new Map(report.cells.map((cell) => [cellKey(cell), cell]))
  const [only] = clinics.length === 1 ? clinics : []
  const issuer = clinics.map(({ name }) => name).join(' · ')
  return (
    <OnEveryPage
      head={
        <>
          <b>{names.report}</b> · {nameOf(report.period.text)} · <bdi>{issuer}</bdi>
        </>
      }
    >
      <Stack gap="md">
        {/* the size of paper belongs to the whole document: no class can choose it */}
        <style>{`@page { size: ${pageSize(definition.page)}; margin: 10mm 10mm 12mm; ${PAGE_NUMBER} }`}</style>
        <Group justify="space-between" align="flex-start">
          <Letterhead
            organization={organization}
            clinic={issuer}
            contact={only ? clinicContactValues(only) : []}
          />
          <div>
            <Title order={1} size="h3">
              {names.report}
            </Title>
            <Text size="sm" fw={600}>
              {nameOf(report.period.text)}
            </Text>
            <Text size="xs">
              {say({
                key: 'reports.facts',
                values: { version: report.version, zone: report.zone },
              })}
            </Text>
            {run ? <RunWords run={run} /> : <Text size="sm">{say('reports.draft')}</Text>}
          </div>
        </Group>
        {definition.sections.map((section) => (
          <SheetSection
            key={section.id}
            definition={definition}
            section={section}
            names={names}
            cells={cells}
            notPlaced={report.not_placed[section.id]}
          />
        ))}
        {report.cells.some(({ mask }) => mask) && (
          <Text size="xs">{say('reports.maskLegend')}</Text>
        )}
        <Group gap="xl" className={classes.signatures}>
          {SIGNATURES.map((as) => (
            <Signature key={as} as={as} run={run} />
          ))}
        </Group>
        <PrintedOn />
      </Stack>
    </OnEveryPage>
  )
}

const PAGE_NUMBER = `@bottom-center { content: counter(page) ' / ' counter(pages); font-size: 8pt }`

function Signature({ as, run }: { as: (typeof SIGNATURES)[number]; run: ShownReport['run'] }) {
  const say = useSay()
  const zone = useTimeZone() ?? 'UTC'
  const at = run?.[`${as}_at`]
  const by = run?.[`${as}_by`]
  return (
    <div className={classes.signature}>
      <Text size="xs">{say(`reports.${as}By`)}</Text>
      <Text size="sm" mih="1.5em">
        {by && <bdi>{by}</bdi>}
      </Text>
      <Text size="xs" className={classes.line}>
        {say('reports.date')}: {at ? <Day value={dayIn(new Date(at), zone)} /> : '…………'}
      </Text>
      {!at && (
        <Text size="xs" className={classes.line}>
          {say('reports.signature')}: …………………………
        </Text>
      )}
    </div>
  )
}

function PrintedOn() {
  const say = useSay()
  const dayText = useDayText()
  return (
    <Text size="xs" c="dimmed">
      {say({ key: 'reports.printed', values: { day: dayText(useToday()) } })}
    </Text>
  )
}
