import torch; from torch import *
def relu(x): return where(x>0,x,zeros_like(x))
def logistic(x): return 1/(1+exp(-x))
def cross_entropy(y_pred,y): return -(y*log(y_pred)+(1-y)*log(1-y_pred)).mean()
def forward(X,W1,b1,W2,b2): return logistic(relu(X@W1+b1)@W2+b2)
def sgd(params,lr=0.1):
    for p in params: p.data-=lr*p.grad; p.grad=None
def init_params(hidden=20): return [randn(s,requires_grad=True) for s in((2,hidden),(hidden,),(hidden,1),(1,))]
def train(params,X,Y,epochs=100,lr=0.1):
    L=[]
    for x,y in [*zip(X,Y)]*epochs: l=cross_entropy(forward(x,*params),y); l.backward(); L.append(l.item()); sgd(params,lr)
    return L
