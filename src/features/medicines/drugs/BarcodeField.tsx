import { Group } from '@mantine/core'
import { type ReactNode, use } from 'react'
import { FormContext } from '~/ui/FormField'
import { normalizeBarcode } from '~/records/package-code'
import { ScanButton } from './ScanButton'

/** The barcode's field of a form, which a scanner or the camera fills as well. */
export function BarcodeField({ children }: { children: ReactNode }) {
  const form = use(FormContext)
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <div
        role="presentation"
        style={{ flex: 1 }}
        // a scanner ends with Enter, which must not send the form
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault()
        }}
      >
        {children}
      </div>
      <ScanButton
        onScan={(code) => form?.change('barcode', normalizeBarcode(code))}
        disabled={form?.disabled}
      />
    </Group>
  )
}
