import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

/** A quiet teal. Step 7 carries white text at 6.9:1, step 4 reads on the dark background at 7:1. */
const sanad: MantineColorsTuple = [
  '#effaf8',
  '#d6f1ec',
  '#aee2d9',
  '#7dcfc2',
  '#4cb5a7',
  '#2a998c',
  '#187d73',
  '#11655d',
  '#0d504a',
  '#093c38',
]

/** Greys of the dark theme, a little blue so that long night shifts are easy on the eye. */
const dark: MantineColorsTuple = [
  '#dde3e8',
  '#bcc5cd',
  '#9aa5af',
  '#6f7b86',
  '#434d57',
  '#343d46',
  '#262d34',
  '#1a2026',
  '#14191e',
  '#0f1317',
]

const family =
  "'Inter Variable', 'IBM Plex Sans Arabic', system-ui, -apple-system, 'Segoe UI', sans-serif"

export const theme = createTheme({
  primaryColor: 'sanad',
  primaryShade: { light: 7, dark: 7 },
  colors: { sanad, dark },
  fontFamily: family,
  headings: {
    fontFamily: family,
    fontWeight: '600',
    sizes: {
      // Arabic letters reach far below the line
      h1: { fontSize: '1.5rem', lineHeight: '1.5' },
      h2: { fontSize: '1.125rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.45' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Table: { defaultProps: { verticalSpacing: 'xs', horizontalSpacing: 'md' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    // Every list, menu and calendar is drawn at the end of the page's landmark, above dialogs, and never within the box
    // of its field: a box that clips (`overflow`) or skips painting (`content-visibility`) shows a part or none.
    Popover: { defaultProps: { portalProps: { target: 'main' } } },
    // nothing but its items, as screen readers expect of a menu
    Menu: { defaultProps: { shadow: 'md', withInitialFocusPlaceholder: false } },
    // a field that is only passed, or focused by a dialog, is not covered by its list: a click, an
    // arrow or a letter opens it
    Select: { defaultProps: { openOnFocus: false } },
  },
})

/** Of lists that open within a list: what is outside of the outer one would close it. */
export const withinList = createTheme({
  components: {
    Popover: { defaultProps: { withinPortal: false } },
    Combobox: { defaultProps: { withinPortal: false } },
  },
})

/** Mantine's faint texts are below 4.5:1; these are above it on every surface of ours, in both themes. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#182026',
    '--mantine-color-dimmed': '#54616c',
    '--mantine-color-placeholder': '#66727d',
    '--mantine-color-error': '#b42318',
    '--sanad-canvas': '#f6f8f9',
    '--sanad-line': '#dfe5e9',
  },
  dark: {
    '--mantine-color-dimmed': '#a3afb9',
    '--mantine-color-placeholder': '#98a4ae',
    '--mantine-color-error': '#ff9b91',
    '--sanad-canvas': '#14191e',
    '--sanad-line': '#343d46',
  },
})
