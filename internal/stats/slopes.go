package stats

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Slopes returns the least-squares slopes of y on the columns of x, together and without an
// intercept. Slopes less than least standard errors from 0 are left out, the least clear one first,
// and returned as 0.
func Slopes(x [][]float64, y []float64, least float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	out, in := make([]float64, len(x[0])), make([]int, len(x[0]))
	for k := range in {
		in[k] = k
	}
	for len(in) > 0 && len(y) > 3*len(in) {
		product, right := mat.NewDense(len(in), len(in), nil), mat.NewVecDense(len(in), nil)
		for r, v := range y {
			for i, k := range in {
				right.SetVec(i, right.AtVec(i)+x[r][k]*v)
				for j, l := range in {
					product.Set(i, j, product.At(i, j)+x[r][k]*x[r][l])
				}
			}
		}
		for i := range in {
			product.Set(i, i, product.At(i, i)+1e-9) // a column of zeros has no slope
		}
		var inverse mat.Dense
		var b mat.VecDense
		if inverse.Inverse(product) != nil {
			return out
		}
		b.MulVec(&inverse, right)
		var squares float64
		for r, v := range y {
			for i, k := range in {
				v -= b.AtVec(i) * x[r][k]
			}
			squares += v * v
		}
		weakest, at := math.Inf(1), 0
		for i := range in {
			t := math.Abs(b.AtVec(i)) / math.Sqrt(inverse.At(i, i)*squares/float64(len(y)-len(in)))
			if !(t >= weakest) {
				weakest, at = t, i
			}
		}
		if weakest >= least {
			for i, k := range in {
				out[k] = b.AtVec(i)
			}
			return out
		}
		in = append(in[:at:at], in[at+1:]...)
	}
	return out
}
