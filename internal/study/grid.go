package study

import (
	"dyno/internal/document"
	"dyno/internal/report"
)

// grid holds a table's cells by row and column, each in the order in which they were set first.
type grid[R comparable] struct {
	rows  []R
	heads []string
	cells map[R]map[string]document.Cell
}

func (g *grid[R]) set(row R, head string, c document.Cell) {
	if g.cells == nil {
		g.cells = map[R]map[string]document.Cell{}
	}
	if g.cells[row] == nil {
		g.rows, g.cells[row] = append(g.rows, row), map[string]document.Cell{}
	}
	g.heads = report.AddNew(g.heads, head)
	g.cells[row][head] = c
}

// table adds the columns and the rows to a table. lead returns a row without them; absent says why a
// cell was not set.
func (g *grid[R]) table(t document.Table, number bool, absent string, lead func(R) document.Row) document.Table {
	for _, head := range g.heads {
		t.Columns = append(t.Columns, document.Column{Head: head, Number: number})
	}
	for _, r := range g.rows {
		row := lead(r)
		for _, head := range g.heads {
			cell, ok := g.cells[r][head]
			if !ok {
				cell.Absent = absent
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
